import { EventEmitter, once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { startSimulator } from '@business-loan-orders/order-simulator';
import { afterAll, expect, inject, test, vi } from 'vitest';
import type { Finding } from '../../commands/doctor/finding.ts';
import type { Options } from '../../laptop/options.ts';
import { runLaptop } from '../../laptop/run-laptop.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { refusalOf } from '../helpers/commands-in.ts';
import { checkCalls } from '../helpers/contract.ts';
import { orderPackage } from '../helpers/packages.ts';

// Both concurrent tests wait for services in real time: together they take as long as one.

const service = await startSimulator({
  settings: { clientSecret: 's%c&r=t +ü', pollAfterSeconds: 1, processingSeconds: 1, bankSeconds: 1 },
});
// The laptops of this file are found in this folder, and by nobody else.
vi.stubEnv('TMPDIR', mkdtempSync(join(inject('temporaryDirectory'), 'rehearsal-')));
afterAll(async () => {
  await loanOrders(['--local', 'rehearse', 'remove']).finally(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  await service.close();
});

const { clientId: LOAN_ORDERS_CLIENT_ID, clientSecret: LOAN_ORDERS_CLIENT_SECRET } = service.settings;
const credentials = { LOAN_ORDERS_CLIENT_ID, LOAN_ORDERS_CLIENT_SECRET };
const named = { service: service.url, authorization: service.authorizationUrl, tokenPath: '/oauth2/token' };

let output = '';
const written = new EventEmitter();
vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
  output += text;
  return written.emit('text');
});

function runHere(options: Options) {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  const before = output.length;
  const stopped = new AbortController();
  const ended = runLaptop({ ...options, port: 0 }, stopped.signal);
  const tooEarly = ended.then(() => Promise.reject(new Error(`The laptop ended: ${output}`)));
  tooEarly.catch(() => undefined);
  const own = () => output.slice(before);
  return {
    output: own,
    stop: async () => {
      stopped.abort();
      expect(await ended, output).toBe(0);
    },
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
  const content = orderPackage({
    documents: ['charter.pdf', 'report.pdf'],
    ...(!valid && { scenario: 'validation-fails-at-once' }),
  });
  const put = (file: string, Body: string) =>
    s3.send(new PutObjectCommand({ Bucket: found('Intake bucket'), Key: `orders/${orderRef}/${file}`, Body }));
  for (const { file } of content.documents) await put(file, `bytes of ${file}`);
  await put('order.json', JSON.stringify(content));
  s3.destroy();
}

test.concurrent('with --service and --sign, orders end at another order service; without --sign the laptop signs nothing and asks for your signatures', async ({
  onTestFinished,
}) => {
  const run = runHere({ ...named, sign: true });
  onTestFinished(run.stop);
  await run.printed('Submit your own package');
  expect(output).toContain(`Order service     ${service.url}   (from --service`);
  expect(output).toContain(`Token endpoint    ${service.authorizationUrl}/oauth2/token`);
  await Promise.all([submit(run, 'order-1', true), submit(run, 'order-2', true), submit(run, 'order-3', false)]);
  // It starts while the orders of the other one wait for the service.
  const unsigned = runHere(named);
  onTestFinished(unsigned.stop);
  await unsigned.printed('Submit your own package');
  await submit(unsigned, 'mine', true);
  for (const orderRef of ['order-1', 'order-2', 'order-3'])
    await run.printed(`${orderRef.padEnd(18)} ended as ${orderRef === 'order-3' ? 'VALIDATION_FAILED' : 'CLOSED'}`);
  await unsigned.printed('sign mine');
  expect(output).toMatch(/mine +waits for your signatures:/);
  expect(output).toMatch(/npx loan-orders --endpoint \S+ sign mine --key key\.pem --cert certificate\.pem/);
  const orders = service
    .orders()
    .map(({ status, uploadedDocuments, signatures, confirmations }) =>
      [status, uploadedDocuments.length, signatures.length, confirmations.length].join(' '),
    );
  const ends = [...Array(2).fill('CLOSED 2 2 2'), 'VALIDATION_FAILED 0 0 0', 'WAITING_FOR_SIGNATURE 2 0 0'];
  expect(orders.sort()).toEqual(ends);
  expect(checkCalls(service.calls())).toEqual([]);
  expect(service.calls().filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
  expect(output).not.toContain(LOAN_ORDERS_CLIENT_SECRET);
  expect(output).not.toContain('two-offers');
}, 180_000);

const rehearse = (...args: string[]) => loanOrders(['--local', '--json', 'rehearse', ...args]);

async function findings(...args: string[]): Promise<Finding[]> {
  const { code, stdout, stderr } = await rehearse(...args);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const problems = findings.filter(({ state }) => state === 'problem');
  expect({ code, stderr, problems }, stdout).toEqual({ code: 0, stderr: '', problems: [] });
  return findings;
}

const messagesOf = (check: string, all: Finding[]) =>
  all.filter((one) => one.check === check).map(({ message }) => message);

test.concurrent('on this machine each step of a rehearsal can be run alone and again, nothing is done twice, and a whole rehearsal drives the examples to their ends and removes everything', async () => {
  const nothing = await rehearse('orders');
  expect({ code: nothing.code, said: nothing.stdout }).toEqual({
    code: 1,
    said: expect.stringContaining('rehearse deploy'),
  });
  await findings('deploy');
  const early = JSON.parse((await rehearse('orders')).stdout) as { failure: string[] };
  expect(early.failure.join(' ')).toMatch(
    /step orders failed: .*two-offers .* waits for operator because of .*rehearse orders"/,
  );
  await findings('credentials');
  expect(messagesOf('order service', await findings('orders'))).toEqual(['It has 4 orders for 4 packages.']);
  expect(messagesOf('conformance', await findings('conformance'))[0]).toMatch(/^\d+ cases, 0 problems/);
  const { code, stdout, stderr } = await loanOrders(['--local', 'rehearse']);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  const report = stdout.slice(stdout.indexOf('Rehearsal on the embedded AWS'));
  expect(report).toMatch(/ok {2}deploy +The embedded AWS runs already/);
  for (const name of ['two-offers', 'gost', 'manual'])
    expect(report).toMatch(new RegExp(`ok  ${name} +It ended as CLOSED`));
  expect(report).toMatch(/ok {2}fails-validation +It ended as VALIDATION_FAILED/);
  expect(report).toContain('It has 4 orders for 4 packages.');
  expect(report).not.toContain('conformance');
  expect(report).toContain('An operator cannot decide.');
  expect(report).toMatch(/ok {2}remove +The embedded AWS has ended/);
  expect(report).toMatch(/checks held, 0 differed/);
  expect(stdout).not.toMatch(/arn:aws|\b\d{12}\b|http:|AKIA|ASIA/);
  expect(messagesOf('remove', await findings('remove'))).toEqual(['Nothing was deployed on this machine.']);
}, 180_000);

test('on AWS a rehearsal needs credentials, says what it costs, and asks', async () => {
  const environment = { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true', HOME: tmpdir() };
  const said = refusalOf(await loanOrders(['rehearse', '--yes'], environment));
  expect(said).toMatch(/^There are no AWS credentials\. .* Nothing was done\./);
  const { code, stderr } = await loanOrders(['rehearse']);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/costs about \d+ US cents .* --yes/) });
});
