import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stackOutputs } from '../../commands/shared/stack-outputs.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { openWorld } from '../helpers/open-world.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const STAGE = `orderService:
  baseUrl: https://orders.bank.ru
  authorizationUrl: https://login.bank.ru
account: "012345678901"
`;

test('stage explain says where each setting comes from', async () => {
  const folder = stagesWith({ 'prod-retail.yaml': STAGE });
  const { stdout } = await loanOrders(['stage', 'explain', 'prod-retail'], { LOAN_ORDERS_STAGES: folder });
  expect(stdout).toMatch(new RegExp(`^account +012345678901 +${join(folder, 'prod-retail.yaml')}:4$`, 'm'));
  expect(stdout).toMatch(/^sweep\.mostStarts +50 +default$/m);
});

test('stage explain prints how to bootstrap, also with a permissions boundary', async () => {
  const bounded = `${STAGE}permissionsBoundary: arn:aws:iam::012345678901:policy/bounds/loans\n`;
  const ofAws = bounded.replace(/iam.*/, 'iam::aws:policy/PowerUserAccess');
  const folder = stagesWith({ 'free.yaml': STAGE, 'aws.yaml': ofAws, 'bounded.yaml': bounded });
  const lineOf = async (name: string) =>
    (await loanOrders(['stage', 'explain', name, '--bootstrap'], { LOAN_ORDERS_STAGES: folder })).stdout;
  expect(await lineOf('free')).toBe('npx cdk bootstrap -c stage=free\n');
  expect(await lineOf('aws')).toBe('npx cdk bootstrap -c stage=aws\n');
  expect(await lineOf('bounded')).toBe(
    'npx cdk bootstrap -c stage=bounded --custom-permissions-boundary bounds/loans --apply-permissions-boundary-to-all-roles\n',
  );
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

const world = await openWorld();
const place = { stage: 'local', local: true, endpoint: world.aws.endpoint } as const;
const orderService = { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' };
const here = { name: 'local' as const, account: world.aws.accountId, region: world.aws.region };

test('a missing stack is refused with the account and region that the stage belongs to', async () => {
  await expect(stackOutputs(place, undefined, { ...here, name: 'prod' })).rejects.toThrow(
    `The stage belongs to account ${here.account} and region ${here.region}.`,
  );
});

test('the prefix of names is that of the file of the stage or, without a file, that of the environment', async () => {
  const known = stagesWith({ 'known.json': { orderService, namePrefix: 'acme' } });
  const environment = { ...world.aws.environment, LOAN_ORDERS_STAGES: known, LOAN_ORDERS_NAME_PREFIX: 'other' };
  const sentenceOf = async (stage: string) => (await loanOrders(['list', '--stage', stage], environment)).stderr;
  expect(await sentenceOf('known')).toContain('There is no stack acme-LoanOrders-known in this account');
  expect(await sentenceOf('unknown')).toContain('There is no stack other-LoanOrders-unknown in this account');
});
