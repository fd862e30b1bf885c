import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { startSimulator } from '@business-loan-orders/order-simulator';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { readOptions } from '../../laptop/options.ts';
import { runLaptop } from '../../laptop/run-laptop.ts';
import { groupIsGone, type LaptopProcess, printed, startLaptopProcess } from '../helpers/laptop-process.ts';
import { listening } from '../helpers/listening.ts';
import { orderPackage } from '../helpers/packages.ts';
import { passOn } from '../helpers/tls-service.ts';

const client = { clientId: 'partner:7 (test)', clientSecret: 's%c&r=t +ü' };
const simulator = await startSimulator({
  settings: {
    ...client,
    ...{ pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 8, unstatedBodies: 'json', seconds: 'text' },
    documentTemplates: ['договор?.pdf', 'consent 100%'].map((fileId) => ({ fileId })),
  },
});
afterAll(() => simulator.close());

/** The address of a server that passes on what is below a path, as a gateway does. */
function gateway(path: string, to: string): Promise<string> {
  const pass = passOn(simulator.url);
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(path)) return void response.writeHead(404).end();
    request.url = request.url.replace(path, to);
    pass(request, response);
  });
  afterAll(() => void server.close());
  return listening(server);
}

const LOAN_ORDERS_CLIENT_SECRET = client.clientSecret;
const credentials = { LOAN_ORDERS_CLIENT_ID: client.clientId, LOAN_ORDERS_CLIENT_SECRET };
const [tokenPath, url] = ['/realms/banks/token', `${await gateway('/partner/api', '')}/partner/api`];
const authorizationUrl = await gateway(tokenPath, '/oauth2/token');
const named = ['--service', url, '--authorization', authorizationUrl, '--token-path', tokenPath];

async function startAndWait(...options: string[]): Promise<LaptopProcess> {
  const run = startLaptopProcess([...named, '--port', '0', ...options], credentials);
  onTestFinished(async () => {
    process.kill(run.process.pid ?? 0, 'SIGINT');
    expect(await run.ended, run.output()).toBe(0);
    expect(await groupIsGone(run)).toBe(true);
  });
  await printed(run, 'Submit your own package');
  return run;
}

/** Runs the laptop in this process until the end of the test. */
function runHere(...args: string[]) {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  const written = new EventEmitter();
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += text;
    return written.emit('text');
  });
  const stopped = new AbortController();
  const ended = runLaptop(readOptions(args), stopped.signal);
  const tooEarly = ended.then(() => Promise.reject(new Error(`The laptop ended: ${output}`)));
  tooEarly.catch(() => undefined);
  onTestFinished(async () => {
    stopped.abort();
    expect(await ended, output).toBe(0);
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return {
    output: () => output,
    printed: async (text: string) => {
      while (!output.includes(text)) await Promise.race([once(written, 'text'), tooEarly]);
    },
  };
}

/** Uploads a package as a back office does: the documents first, `order.json` last. */
async function submit(run: { output(): string }, orderRef: string, scenario = ''): Promise<void> {
  const found = (name: string) => new RegExp(`${name} +(\\S+)`).exec(run.output())?.[1] ?? '';
  const s3 = new S3Client({
    endpoint: found('Embedded AWS'),
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const content = orderPackage({ documents: ['charter.pdf', 'report.pdf'], scenario });
  const put = (file: string, Body: string) =>
    s3.send(new PutObjectCommand({ Bucket: found('Intake bucket'), Key: `orders/${orderRef}/${file}`, Body }));
  for (const { file } of content.documents) await put(file, `bytes of ${file}`);
  await put('order.json', JSON.stringify(content));
  s3.destroy();
}

test('with --service and --sign, ten orders end at an order service that is somewhere else', async () => {
  const run = await startAndWait('--sign');
  const output = run.output();
  expect(output).toContain(`Order service     ${url}   (from --service`);
  expect(output).toContain(`Token endpoint    ${authorizationUrl}${tokenPath}`);
  const orderRefs = Array.from({ length: 10 }, (_, number) => `order-${number + 1}`);
  const scenarioOf = (orderRef: string) => (orderRef === 'order-10' ? 'validation-fails-at-once' : '');
  await Promise.all(orderRefs.map((orderRef) => submit(run, orderRef, scenarioOf(orderRef))));
  for (const orderRef of orderRefs) {
    await printed(run, `${orderRef.padEnd(18)} ended as ${scenarioOf(orderRef) ? 'VALIDATION_FAILED' : 'CLOSED'}`);
  }
  const orders = simulator
    .orders()
    .map(({ status, uploadedDocuments, signatures, confirmations }) =>
      [status, ...[uploadedDocuments, signatures, confirmations].map(({ length }) => length)].join(' '),
    );
  expect(orders.sort()).toEqual([...Array(9).fill('CLOSED 2 2 2'), 'VALIDATION_FAILED 0 0 0']);
  const calls = simulator.calls();
  expect(calls.filter(({ status = 0, earlyBySeconds = 0 }) => status >= 400 || earlyBySeconds > 0)).toEqual([]);
  expect(run.output()).not.toContain(LOAN_ORDERS_CLIENT_SECRET);
  expect(run.output()).not.toContain('two-offers');
}, 180_000);

test('without --sign the laptop signs nothing and asks for your signatures', async () => {
  const run = runHere(...named, '--port', '0');
  await run.printed('Submit your own package');
  await submit(run, 'mine');
  await run.printed('sign mine');
  expect(run.output()).toContain('waits for your signatures:');
  expect(run.output()).toMatch(/npx loan-orders --endpoint \S+ sign mine --key key\.pem --cert certificate\.pem/);
  expect(simulator.orders().at(-1)).toMatchObject({ status: 'WAITING_FOR_SIGNATURE', signatures: [] });
});
