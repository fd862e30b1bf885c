import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { buildCommandLine } from '../../scripts/build-command-line.ts';
import { type Outcome, outcomeOf } from '../helpers/command-line.ts';
import { outputOf, refusalOf } from '../helpers/commands-in.ts';
import { MAIN_PATH, openWorld } from '../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE } from '../helpers/packages.ts';
import { keyPem } from '../helpers/signer-files.ts';
import { stagesWith } from '../helpers/stage-files.ts';

/** The oldest version that the README promises for the built command line. */
const OLDEST = '20.19.0';
const PROMISED = /^v20\.(19|[2-9]\d)\./;
const installed = fileURLToPath(new URL('../../node_modules/.cache/oldest-node', import.meta.url));

/** A Node 20 as the README promises: the one of this machine if it has one, or else one that npm installs beside the packages. */
function oldestNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const ofMachine = folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path) && isPromised(path));
  if (ofMachine !== undefined) return ofMachine;
  const own = join(installed, 'node_modules/node/bin/node');
  if (!existsSync(own)) execFileSync('npm', ['install', '--no-save', '--prefix', installed, `node@${OLDEST}`]);
  return own;
}

const isPromised = (node: string): boolean => PROMISED.test(execFileSync(node, ['--version'], { encoding: 'utf8' }));

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
  cpSync(fileURLToPath(new URL('../../examples/two-offers', import.meta.url)), join(folder, 'two-offers'), {
    recursive: true,
  });
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
  [['replay', 'order'], 'This file cannot replay: check out the version'],
  [['rehearse', '--yes'], 'The built file has no stacks to deploy: use "npx loan-orders rehearse" in a checkout'],
])('the built file leaves %j to a checkout', async (args, sentence) => {
  expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(`^${sentence}[^\n]*\n$`) });
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
  const [, notices = ''] = readFileSync(program, 'utf8').split('This file contains these packages');
  const parts = ['fastify', 'preact'];
  expect(parts.filter((part) => !new RegExp(`^(.*, )?${part}(, .*)?$`, 'm').test(notices))).toEqual([]);
});

test('the built file submits a package of the current folder', async () => {
  const submitted = await run('--endpoint', world.aws.endpoint, 'submit', 'two-offers', '--ref', 'from-the-file');
  expect(submitted, submitted.stderr).toMatchObject({ code: 0 });
});
