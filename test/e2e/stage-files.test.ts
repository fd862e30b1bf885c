import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stageSettings } from '../../infra/stages.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { stagesWith } from '../helpers/stage-files.ts';
import { hasTerminal, keys, onTerminal } from '../helpers/terminal.ts';

const ADDRESSES = ['--base-url', 'https://orders.bank.ru', '--authorization-url', 'https://login.bank.ru'];
const ONE_WAY = 'cannot be changed once orders are there';

/** Runs a command with this folder of stages. */
const inFolder = (folder: string, ...args: string[]) => loanOrders(args, { LOAN_ORDERS_STAGES: folder });

test('stage init writes a file from its options, stage explain says where each setting comes from', async () => {
  const folder = join(stagesWith({}), 'ours');
  const options = ['--account', '012345678901', '--keep-data', 'false', '--alarms', 'ops@partner.ru'];
  const init = ['--stage', 'test', 'stage', 'init', 'prod-retail', ...ADDRESSES, ...options];
  expect(await inFolder(folder, ...init)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('with "loan-orders stage explain prod-retail"'),
  });
  expect(stageSettings('prod-retail', folder)).toMatchObject({
    account: '012345678901',
    keepData: false,
    orderService: { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' },
    alarms: { email: 'ops@partner.ru' },
  });
  const path = join(folder, 'prod-retail.yaml');
  expect(readFileSync(path, 'utf8')).toMatch(/^# yaml-language-server: \$schema=\S+\/generated\/stage\.schema\.json\n/);
  expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
  const { stdout } = await inFolder(folder, 'stage', 'explain', 'prod-retail');
  expect(stdout).toMatch(new RegExp(`^account +012345678901 +${path}:5$`, 'm'));
  expect(stdout).toMatch(/^limits\.offers +1000 +default$/m);
});

test.each(['prod', 'local', 'rehearsal'])(
  'stage init leaves the file of stage %s as it is, with its comments',
  async (stage) => {
    const folder = stagesWith({ 'prod.yml': '# ours\n' });
    const { code, stderr } = await inFolder(folder, 'stage', 'init', stage, ...ADDRESSES);
    const path = stage === 'prod' ? `${folder}/prod.yml` : `stages/${stage}.yaml`;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Stage ${stage} has the file ${path} already, which was left as it is. Edit it, or a copy in your own folder of stages.\n`,
    });
    expect(readFileSync(join(folder, 'prod.yml'), 'utf8')).toBe('# ours\n');
    expect(readdirSync(folder)).toEqual(['prod.yml']);
  },
);

test.each([['/proc/none'], [join(stagesWith({ file: '' }), 'file/none')]])(
  'stage init says that a folder cannot be made: %s',
  async (folder) => {
    const { code, stderr } = await inFolder(folder, 'stage', 'init', 'prod', ...ADDRESSES);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/ (can't be written \(\w+\)|is not a folder): nothing was written\.$/m),
    });
  },
);

test.each([
  [[], '--base-url is required: nothing was written.'],
  [
    ['--base-url', 'http://orders.bank.ru'],
    '--base-url must start with https://, and be on another machine: nothing was written.',
  ],
  [[...ADDRESSES, '--account', '1111'], '--account must be 12 digits: nothing was written.'],
  [[...ADDRESSES, '--encryption', 'mine'], '--encryption must be aws-managed, stack-key or the ARN of a KMS key'],
  [
    [...ADDRESSES, '--alarms', 'on-call'],
    '--alarms must be an e-mail address or the ARN of an SNS topic: nothing was written.',
  ],
])('stage init with %j is refused', async (options, sentence) => {
  const { code, stderr } = await inFolder(stagesWith({}), 'stage', 'init', 'prod', ...options);
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
});

test('LOAN_ORDERS_STAGE names the stage, and its file is checked', async () => {
  const environment = {
    LOAN_ORDERS_STAGES: stagesWith({ 'prod-leasing.yaml': 'keepdata: true\n' }),
    LOAN_ORDERS_STAGE: 'prod-leasing',
  };
  const { code, stderr } = await loanOrders(['list'], environment);
  expect(code).toBe(1);
  expect(stderr).toContain('prod-leasing.yaml:1: keepdata is true, but is not a setting: keepData is.');
});

test.skipIf(!hasTerminal)('Ctrl-D ends stage init, and nothing is written', async () => {
  const folder = stagesWith({});
  const run = onTerminal(['stage', 'init', 'prod'], { LOAN_ORDERS_STAGES: folder });
  await run.answer('AWS account', keys.endOfInput);
  expect(await run.ended, run.shown()).toBe(130);
  expect(run.shown()).toContain('Nothing was written.');
});

test.skipIf(!hasTerminal)('stage init asks, one-way doors first, and asks again after a mistake', async () => {
  const folder = stagesWith({});
  const run = onTerminal(['stage', 'init', 'prod'], { LOAN_ORDERS_STAGES: folder });
  await run.answer(`that of the credentials) – ${ONE_WAY}`, keys.enter);
  await run.answer(`Region, such as eu-central-1 (empty: AWS_REGION) – ${ONE_WAY}`, 'eu-central-1', keys.enter);
  await run.answer('Key that encrypts', keys.enter);
  await run.answer('Address of the order service', 'https://orders.bank.ru', keys.enter);
  await run.answer('Address of its authorization service', 'http', keys.enter);
  await run.answer('must be an address', 's://login.bank.ru', keys.enter);
  await run.answer('Do the data outlive', keys.enter);
  await run.answer('Whom alarms notify', keys.enter);
  expect(await run.ended, run.shown()).toBe(0);
  expect(stageSettings('prod', folder)).toMatchObject({ region: 'eu-central-1', keepData: true });
});
