import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { outputOf } from '../helpers/commands-in.ts';
import { groupIsGone, printed, processesNaming, startLaptopProcess as start } from '../helpers/laptop-process.ts';
import { stagesWith } from '../helpers/stage-files.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loan-orders-laptop-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const FREE_PORTS = ['--port', '0', '--simulator-port', '0'];

/** Runs beside the other tests: most of the time it waits. */
const examples = start(['--once', ...FREE_PORTS]);
afterAll(() => void examples.process.kill());

test('Ctrl-C while it synthesizes ends the laptop run cleanly, without a remaining process or folder', async () => {
  const folder = await temporaryFolder();
  // The context is new each time, so there is no cached assembly.
  const run = start(FREE_PORTS, { TMPDIR: folder, CDK_CONTEXT_JSON: JSON.stringify({ now: Date.now() }) });
  onTestFinished(() => void (groupIsGone(run) || process.kill(-(run.process.pid ?? 0), 'SIGKILL')));
  await printed(run, 'Synthesizing');
  process.kill(run.process.pid ?? 0, 'SIGINT');
  expect(await run.ended, run.output()).toBe(0);
  expect(run.output()).toContain('Stopped.');
  await expect.poll(() => groupIsGone(run)).toBe(true);
  expect(await processesNaming(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

async function expectWaitWhileDown(folder: string): Promise<void> {
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const place of [['--local'], ['--local', '--stage', 'prod-retail']]) {
    const found = await loanOrders([...place, 'list']);
    expect(found).toEqual({ code: 0, stdout: expect.stringMatching(/^two-offers +/m), stderr: '' });
  }
  const down = outputOf(await loanOrders(['--local', 'simulator', 'down']));
  expect(down).toContain('is down: it refuses every connection');
  await loanOrders(['--local', 'submit', 'examples/two-offers', '--ref', 'practice']);
  const practice = async () => JSON.parse((await loanOrders(['--local', '--json', 'show', 'practice'])).stdout);
  await vi.waitFor(
    async () =>
      expect(await practice()).toMatchObject({
        status: 'RECEIVED',
        waitingFor: 'service',
        operations: [{ name: 'create', state: 'none', failure: 'ServiceUnavailable' }],
      }),
    20_000,
  );
  expect(readFileSync((await practice()).pages.log, 'utf8')).toMatch(/-create-order .*"practice"/);
  expect((await loanOrders(['--local', 'simulator'])).stdout).toContain('is down');
  expect(await loanOrders(['--local', 'simulator', 'up'])).toMatchObject({ code: 0, stderr: '' });
  // Goes on by itself: the state machine tries again within half a minute.
  const later = await vi.waitFor(async () => {
    const order = await practice();
    expect(order.orderId ?? order.failure).toBeDefined();
    return order;
  }, 40_000);
  // If its attempts were used up before, a sweep starts the order again after five minutes, which are real ones on the laptop.
  if (later.orderId === undefined) await loanOrders(['--local', 'retry', 'practice']);
  await vi.waitFor(async () => expect((await practice()).orderId).toBeDefined(), 20_000);
}

test('a port that is taken ends the laptop run with a clear sentence before anything is started', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const run = start(['--port', String(port), '--simulator-port', '0']);
  expect(await run.ended).toBe(1);
  expect(run.output()).toBe(`Port ${port} is in use by another program. Give --port another port, or leave it out.\n`);
});

test.each([
  ['an unknown option', ['--twice'], "Unknown option '--twice' (see loan-orders --help).\n"],
  [
    '--no-signer where nobody signs',
    ['--no-signer', '--once'],
    "Option '--once' cannot be used with option '--no-signer'",
  ],
  [
    '--once beside a service',
    ['--service', 'https://bank.ru', '--once'],
    "Option '--once' cannot be used with option '--service",
  ],
  ['--sign without a service', ['--sign'], '--sign needs --service <url> (see loan-orders --help).\n'],
  ['a wrong port', ['--port', 'http'], 'It must be a port number, 0 to 65535'],
])('%s is refused with one sentence', async (_what, options, sentence) => {
  expect(await loanOrders(['local', ...options])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(sentence),
  });
});

const retail = {
  orderService: { baseUrl: 'https://retail.bank.ru', authorizationUrl: 'https://retail.bank.ru' },
  pollAfterSeconds: { minimum: 1, fallback: 1 },
  account: '111122223333',
  region: 'eu-central-1',
  namePrefix: 'acme',
  tags: { 'cost-centre': '4711' },
  tracing: { xray: true },
  encryption: 'stack-key',
};

test('the laptop runs a stage of a folder outside, leaves signatures to a person, shows uploads of nobody, --local finds it on any port without the folder, an order waits while its simulator is down, and Ctrl-C ends it while orders are running', async () => {
  const folder = await temporaryFolder();
  // Credentials of another account, as those of a developer may be.
  const run = start(['--stage', 'prod-retail', '--no-signer', ...FREE_PORTS], {
    LOAN_ORDERS_STAGES: stagesWith({ 'prod-retail.json': retail }),
    CDK_DEFAULT_ACCOUNT: '444455556666',
    TMPDIR: folder,
  });
  onTestFinished(() => void run.process.kill());
  await printed(run, 'aws s3 cp');
  const [, endpoint = '', bucket = ''] = /Embedded AWS +(\S+)[\s\S]*Intake bucket +(\S+)/.exec(run.output()) ?? [];
  expect(bucket).toMatch(/^acme-loanorders-prod-retail-/);
  expect(run.output()).toMatch(/Signatures +yours, for every order/);
  expect(run.output()).toMatch(/Console +http:\S+\?token=\S+ {3}\(opens once\)/);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const s3 = new S3Client({ endpoint, region: 'us-east-1', credentials });
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'lost.pdf', Body: 'lost' }));
  await printed(run, 'lost.pdf');
  await vi.waitFor(() => expect(run.output()).toMatch(/loan-orders .* sign two-offers /), 40_000);
  await expectWaitWhileDown(folder);
  expect(run.output()).toMatch(/s {2}simulator +down\n[\s\S]*s {2}simulator +up\n/);
  run.process.kill('SIGINT');
  expect(await run.ended).toBe(0);
  expect(run.output()).toMatch(/Stopped\.\n$/);
  expect(run.output()).not.toContain('signer signed');
  expect(await readdir(folder)).toEqual([]);
});

test('npm start -- --once shows the end of each order, leaves the manual order to a person, exits with 0 and leaves nothing behind', async () => {
  expect(await examples.ended, examples.output()).toBe(0);
  const output = examples.output();
  expect(output).toMatch(/two-offers +ended as CLOSED/);
  expect(output).toMatch(/fails-validation +ended as VALIDATION_FAILED/);
  expect(output).toContain('DOCUMENT_UNREADABLE');
  expect(output.match(/fails-validation +Execution ended, error ValidationFailed/g)).toHaveLength(1);
  expect(output.match(/broken +ended as REJECTED/g)).toHaveLength(1);
  expect(output).toContain('$.documents[0].file: The file documents/empty.pdf is empty.');
  expect(output).toContain('aws s3 cp');
  expect(output).toMatch(/manual +waits for your signatures:\n.*npx loan-orders --endpoint \S+ sign manual --key /);
  expect(output).not.toMatch(/manual +the partner's signer signed/);
  expect(output).toContain('All 5 examples reached their ends.');
  expect(output).toContain('manual waits for a person (WAITING_FOR_SIGNATURE)');
  await expect.poll(() => groupIsGone(examples)).toBe(true);
});
