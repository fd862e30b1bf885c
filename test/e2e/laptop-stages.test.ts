import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test, vi } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { printed, startLaptopProcess } from '../helpers/laptop-process.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const service = (name: string) => ({
  orderService: { baseUrl: `https://${name}.bank.ru`, authorizationUrl: `https://${name}.bank.ru` },
  pollAfterSeconds: { minimum: 1, fallback: 1 },
});
const retail = {
  ...service('retail'),
  account: '111122223333',
  region: 'eu-central-1',
  namePrefix: 'acme',
  tags: { 'cost-centre': '4711' },
  tracing: { xray: true, requestIdHeader: 'X-Correlation-Id' },
  encryption: 'stack-key',
};
const TMPDIR = mkdtempSync(join(inject('temporaryDirectory'), 'laptops-'));
const LOAN_ORDERS_STAGES = stagesWith({
  'prod-retail.json': retail,
  'prod-leasing.json': { ...service('leasing'), keepData: false },
});
// Credentials of another account, as those of a developer may be.
const variables = { LOAN_ORDERS_STAGES, TMPDIR, CDK_DEFAULT_ACCOUNT: '444455556666' };
const ports = ['--port', '0', '--simulator-port', '0'];
const laptops = ['prod-retail', 'prod-leasing'].map((stage) =>
  startLaptopProcess(['--stage', stage, ...ports], variables),
);
afterAll(() => {
  vi.unstubAllEnvs();
  for (const laptop of laptops) laptop.process.kill('SIGINT');
});

test('two stages of a folder outside run beside each other, and commands without the folder find each of them', async () => {
  await Promise.all(
    laptops.map((laptop) =>
      Promise.race([printed(laptop, `${'two-offers'.padEnd(18)} ended as CLOSED`), laptop.ended]),
    ),
  );
  vi.stubEnv('TMPDIR', TMPDIR);
  const show = async (stage: string) => {
    const { code, stdout, stderr } = await loanOrders(['--local', '--stage', stage, '--json', 'show', 'two-offers']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  for (const [position, stage] of ['prod-retail', 'prod-leasing'].entries()) {
    expect(await show(stage), laptops[position]?.output()).toMatchObject({ status: 'CLOSED' });
  }
  expect(laptops[0]?.output()).toMatch(/Intake bucket +acme-loanorders-prod-retail-/);
  expect(laptops[1]?.output()).toMatch(/Intake bucket +loanorders-prod-leasing-/);
}, 120_000);
