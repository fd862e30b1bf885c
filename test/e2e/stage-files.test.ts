import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
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

test('LOAN_ORDERS_STAGE names the stage, and its file is checked', async () => {
  const environment = {
    LOAN_ORDERS_STAGES: stagesWith({ 'prod-leasing.yaml': 'keepdata: true\n' }),
    LOAN_ORDERS_STAGE: 'prod-leasing',
  };
  const { code, stderr } = await loanOrders(['list'], environment);
  expect(code).toBe(1);
  expect(stderr).toContain('prod-leasing.yaml:1: keepdata is true, but is not a setting: keepData is.');
});
