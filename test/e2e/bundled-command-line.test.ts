import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../laptop/synthesize.ts';
import manifest from '../../package.json' with { type: 'json' };
import { buildCommandLine } from '../../scripts/build-command-line.ts';
import { type Outcome, outcomeOf } from '../helpers/command-line.ts';
import { outputOf, refusalOf } from '../helpers/commands-in.ts';
import { oldestNode } from '../helpers/oldest-node.ts';
import { MAIN_PATH, openWorld } from '../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE } from '../helpers/packages.ts';
import { keyPem } from '../helpers/signer-files.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const world = await openWorld({ settings: MAIN_PATH });
const node = oldestNode();
const folder = mkdtempSync(join(tmpdir(), 'loan-orders-built-'));
/** Without an extension, as it is installed. */
const program = join(folder, 'loan-orders');
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const built = mkdtempSync(join(tmpdir(), 'loan-orders-build-'));
  const { file } = await buildCommandLine(built);
  cpSync(file, program);
  rmSync(built, { recursive: true });
  cpSync(`${projectRoot}examples/two-offers`, join(folder, 'two-offers'), { recursive: true });
});

const run = (...args: string[]) => runWith({}, ...args);

function runWith(variables: Record<string, string>, ...args: string[]): Promise<Outcome> {
  const own = { PATH: '/usr/bin:/bin', HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
  return outcomeOf([program, ...args], { cwd: folder, env: { ...own, ...variables } }, node);
}

test('the built file tells its version, and the commit that it was built from', async () => {
  const { code, stdout, stderr } = await run('--version');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^loan-orders \d+\.\d+\.\d+( \(commit [0-9a-f]{7,}(, changed)?\))?\n$/);
  expect(stdout).toContain(manifest.version);
});

test.each([
  [['rehearse', '--yes'], 'deploy a stage'],
  [['deploy', 'prod'], 'deploy a stage'],
  [['local'], 'run the laptop'],
])('the built file leaves %j to the package', async (args, what) => {
  const stderr = `This file cannot ${what}: install the package business-loan-orders, which can.\n`;
  expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr });
});

test('the built file checks a package without a file of the stage', async () => {
  expect(outputOf(await run('lint', 'two-offers'))).toContain('two-offers has no problem');
});

test('the built file evaluates a rule in a process of its own', async () => {
  writeFileSync(join(folder, 'rule.jsonata'), FIRST_TWO_AVAILABLE);
  const offer = { offerId: 'offer-1', status: 'AVAILABLE', creditOptions: [{ code: 'FIRST-12' }] };
  writeFileSync(join(folder, 'offers.json'), JSON.stringify([offer]));
  const { code, stdout, stderr } = await run('rule', '--test', 'rule.jsonata', 'offers.json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^OFFER {4}CODE\noffer-1 {2}FIRST-12\n\nThe rule returned:\n/);
});

test('the built file needs no settings to show an order, obeys a file of its stage, and writes its evidence', async () => {
  expect(readFileSync(program, 'utf8')).not.toContain('orders.prod.example');
  await world.submitToEnd('proven');
  const show = ['--stage', 'local', 'show', 'proven'];
  expect(outputOf(await runWith(world.aws.environment, ...show))).toContain('Accepted documents');
  const orderService = { baseUrl: 'http://127.0.0.1:1', authorizationUrl: 'http://127.0.0.1:1' };
  const here = stagesWith({ 'local.json': { orderService, region: 'us-east-1' } });
  const withoutRegion = { ...world.aws.environment, AWS_REGION: '', LOAN_ORDERS_STAGES: here };
  expect(outputOf(await runWith(withoutRegion, ...show))).toContain('Accepted documents');
  const elsewhere = stagesWith({ 'local.json': { orderService, account: '111122223333' } });
  const refused = await runWith({ ...world.aws.environment, LOAN_ORDERS_STAGES: elsewhere }, ...show);
  expect(refusalOf(refused)).toMatch(/^[^\n]+belongs to account 111122223333[^\n]*\n$/);
  const written = await run('--endpoint', world.aws.endpoint, 'evidence', 'proven', '--unsigned');
  expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('Wrote proven.evidence.zip'), stderr: '' });
});

test('the built file signs', async () => {
  await world.submitToSign('to-sign');
  const signer = makeSigner('p-256');
  writeFileSync(join(folder, 'key.pem'), keyPem(signer));
  writeFileSync(join(folder, 'cert.pem'), toPem(signer.certificate));
  const sign = ['sign', 'to-sign', '--key', 'key.pem', '--cert', 'cert.pem'];
  expect(outputOf(await run('--endpoint', world.aws.endpoint, ...sign))).toContain('Signed');
});

test('the built file serves the console, with its page', async () => {
  const served = spawn(node, [program, 'console', '--endpoint', world.aws.endpoint], {
    cwd: folder,
    env: { HOME: folder },
  });
  onTestFinished(() => {
    served.kill('SIGINT');
  });
  const [printed] = (await once(served.stdout, 'data')) as [Buffer];
  const address = /http:\S+/.exec(printed.toString())?.[0] ?? '';
  const script = await fetch(new URL('/page.js', address));
  expect(await script.text()).toContain('WAITING_FOR_SIGNATURE');
});

test('the built file has the licences of all that it holds, also of what the page is made of', () => {
  const [, notices = ''] = readFileSync(program, 'utf8').split('These packages are built in');
  const parts = ['fastify', 'preact'];
  expect(parts.filter((part) => !new RegExp(`^(.*, )?${part}(, .*)?$`, 'm').test(notices))).toEqual([]);
});

test('an older Node is answered with one sentence', async () => {
  const older = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '22.11.0' })";
  const stderr = 'loan-orders needs Node 22.12 or newer, and this is Node 22.11.0.\n';
  expect(await outcomeOf(['--import', older, 'bin/loan-orders.js', 'list'], {})).toEqual({
    code: 1,
    stdout: '',
    stderr,
  });
});
