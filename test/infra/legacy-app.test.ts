import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The templates that the app synthesizes, by file. If the app fails, what it printed. */
function synthesize(context: Record<string, string>) {
  const directory = mkdtempSync(join(tmpdir(), 'loan-orders-app-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const all = { ...cdk.context, 'aws:cdk:bundling-stacks': [], stage: 'prod', ...context };
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(all), CDK_OUTDIR: directory };
  const { status, stderr } = spawnSync(process.execPath, ['bin/app.ts'], { cwd: root, env, encoding: 'utf8' });
  const files = readdirSync(directory).filter((file) => file.endsWith('.template.json'));
  const templates = Object.fromEntries(files.map((file) => [file, readFileSync(join(directory, file), 'utf8')]));
  return { status, stderr, templates };
}

const orders = 'LoanOrders-prod.template.json';
const exchange = 'LoanOrdersLegacy-prod.template.json';

test('the app synthesizes nothing of the bank exchange by default', () => {
  const { templates } = synthesize({});
  expect(Object.keys(templates)).toEqual([orders]);
  expect(templates[orders]).not.toMatch(/legacy/i);
});

test('-c legacy=beside adds the exchange stack and does not change the order stack', () => {
  const { templates } = synthesize({ legacy: 'beside' });
  expect(Object.keys(templates).sort()).toEqual([orders, exchange].sort());
  expect(templates[orders]).toBe(synthesize({ legacy: 'no' }).templates[orders]);
  expect(templates[exchange]).not.toContain('Fn::ImportValue');
});

test('-c legacy=alone synthesizes no order stack', () => {
  expect(Object.keys(synthesize({ legacy: 'alone' }).templates)).toEqual([exchange]);
});

test('the app refuses another value of legacy with one sentence', () => {
  const { status, stderr } = synthesize({ legacy: 'yes' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: '-c legacy=yes is unknown: use -c legacy=<no | beside | alone>.\n',
  });
});
