import { EventEmitter, once } from 'node:events';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { readOptions } from '../../laptop/options.ts';
import { runLaptop } from '../../laptop/run-laptop.ts';
import { AnotherService } from '../helpers/another-service.ts';
import { orderPackage } from '../helpers/packages.ts';

const service = await AnotherService.start();
afterAll(() => service.close());
const { id: LOAN_ORDERS_CLIENT_ID, secret: LOAN_ORDERS_CLIENT_SECRET } = service.credentials;
const credentials = { LOAN_ORDERS_CLIENT_ID, LOAN_ORDERS_CLIENT_SECRET };
const addresses = ['--service', service.url, '--authorization', service.authorizationUrl];
const named = [...addresses, '--token-path', '/realms/banks/token'];

let output = '';
const written = new EventEmitter();

/** Runs the laptop in this process until the end of the test. */
function runHere(...args: string[]) {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  const before = output.length;
  const stopped = new AbortController();
  const ended = runLaptop(readOptions(args), stopped.signal);
  const tooEarly = ended.then(() => Promise.reject(new Error(`The laptop ended: ${output}`)));
  tooEarly.catch(() => undefined);
  onTestFinished(async () => {
    stopped.abort();
    expect(await ended, output).toBe(0);
  });
  const own = () => output.slice(before);
  return {
    output: own,
    printed: async (text: string) => {
      while (!own().includes(text)) await Promise.race([once(written, 'text'), tooEarly]);
    },
  };
}

/** Uploads a package as a back office does: the documents first, `order.json` last. */
async function submit(run: { output(): string }, orderRef: string, valid: boolean): Promise<void> {
  const found = (name: string) => new RegExp(`${name} +(\\S+)`).exec(run.output())?.[1] ?? '';
  const s3 = new S3Client({
    endpoint: found('Embedded AWS'),
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const content = orderPackage({ documents: ['charter.pdf', 'report.pdf'] });
  const put = (file: string, Body: string) =>
    s3.send(new PutObjectCommand({ Bucket: found('Intake bucket'), Key: `orders/${orderRef}/${file}`, Body }));
  for (const { file } of content.documents) await put(file, `bytes of ${file}`);
  await put('order.json', JSON.stringify({ ...content, order: { ...content.order, valid } }));
  s3.destroy();
}

test('with --service and --sign, orders end at an order service that differs from the simulator; without --sign the laptop signs nothing and asks for your signatures', async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += text;
    return written.emit('text');
  });
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  const run = runHere(...named, '--port', '0', '--sign');
  await run.printed('Submit your own package');
  expect(output).toContain(`Order service     ${service.url}   (from --service`);
  expect(output).toContain(`Token endpoint    ${service.authorizationUrl}/realms/banks/token`);
  await Promise.all([submit(run, 'order-1', true), submit(run, 'order-2', true), submit(run, 'order-3', false)]);
  // It starts while the orders of the other one wait for the service.
  const unsigned = runHere(...named, '--port', '0');
  await unsigned.printed('Submit your own package');
  await submit(unsigned, 'mine', true);
  for (const orderRef of ['order-1', 'order-2', 'order-3']) {
    await run.printed(`${orderRef.padEnd(18)} ended as ${orderRef === 'order-3' ? 'VALIDATION_FAILED' : 'CLOSED'}`);
  }
  await unsigned.printed('sign mine');
  expect(output).toMatch(/mine +waits for your signatures:/);
  expect(output).toMatch(/npx loan-orders --endpoint \S+ sign mine --key key\.pem --cert certificate\.pem/);
  const orders = service.orders.map(({ status, documents, signed, confirmed }) =>
    [status, documents.length, signed.size, confirmed.size].join(' '),
  );
  const ends = [...Array(2).fill('CLOSED 2 2 2'), 'VALIDATION_FAILED 0 0 0', 'WAITING_FOR_SIGNATURE 2 0 0'];
  expect(orders.sort()).toEqual(ends);
  expect(service.wrongs).toEqual([]);
  expect(output).not.toContain(LOAN_ORDERS_CLIENT_SECRET);
  expect(output).not.toContain('two-offers');
}, 180_000);
