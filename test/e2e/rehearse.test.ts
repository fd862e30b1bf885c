import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import type { Finding } from '../../commands/doctor/finding.ts';
import { loanOrders } from '../helpers/command-line.ts';

// Its deployments are found in this folder, and by nobody else.
beforeEach(() => void vi.stubEnv('TMPDIR', mkdtempSync(join(inject('temporaryDirectory'), 'rehearsal-'))));
afterEach(async () => {
  await loanOrders(['--local', 'rehearse', 'remove']);
  vi.unstubAllEnvs();
});

const rehearse = (...args: string[]) => loanOrders(['--local', '--json', 'rehearse', ...args]);

async function findings(...args: string[]): Promise<Finding[]> {
  const { code, stdout, stderr } = await rehearse(...args);
  expect({ code, stderr, problems: problemsIn(stdout) }).toEqual({ code: 0, stderr: '', problems: [] });
  return (JSON.parse(stdout) as { findings: Finding[] }).findings;
}

const problemsIn = (stdout: string) =>
  (JSON.parse(stdout) as { findings: Finding[] }).findings.filter(({ state }) => state === 'problem');
const messagesOf = (check: string, all: Finding[]) =>
  all.filter((one) => one.check === check).map(({ message }) => message);

test('on this machine each step can be run alone and again, nothing is done twice, and a whole rehearsal drives the examples to their ends and removes everything', async () => {
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
  const { code, stdout, stderr } = await loanOrders(['--local', 'rehearse']);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  const report = stdout.slice(stdout.indexOf('Rehearsal on the embedded AWS'));
  expect(report).toMatch(/ok {2}deploy +The embedded AWS runs already/);
  for (const name of ['two-offers', 'gost', 'manual'])
    expect(report).toMatch(new RegExp(`ok  ${name} +It ended as CLOSED`));
  expect(report).toMatch(/ok {2}fails-validation +It ended as VALIDATION_FAILED/);
  expect(report).toContain('It has 4 orders for 4 packages.');
  expect(report).toMatch(/ok {2}conformance +\d+ cases, 0 problems/);
  expect(report).toContain('An operator cannot decide.');
  expect(report).toMatch(/ok {2}remove +The embedded AWS has ended/);
  expect(report).toMatch(/checks held, 0 differed/);
  expect(stdout).not.toMatch(/arn:aws|\b\d{12}\b|http:|AKIA|ASIA/);
  expect(messagesOf('remove', await findings('remove'))).toEqual(['Nothing was deployed on this machine.']);
}, 180_000);

test('on AWS it needs credentials, says what it costs, and asks', async () => {
  const environment = { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true', HOME: tmpdir() };
  expect(await loanOrders(['rehearse', '--yes'], environment)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^There are no AWS credentials: nothing was done\./),
  });
  const { code, stderr } = await loanOrders(['rehearse']);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/costs about \d+ US cents .* --yes/) });
});
