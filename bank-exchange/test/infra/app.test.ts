import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { expect, inject, test } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };
import { createApp } from '../../../infra/app.ts';
import { withoutTraces } from '../../../test/helpers/template.ts';
import { addExchange } from '../../infra/app.ts';

/** The templates that the app synthesizes, by file. */
function synthesize(context: Record<string, string>): Record<string, string> {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'app-'));
  const all = { ...cdk.context, 'aws:cdk:bundling-stacks': [], stage: 'prod', ...context };
  withoutTraces(() => {
    const app = createApp({ outdir, context: all });
    addExchange(app);
    app.synth();
  });
  const files = readdirSync(outdir).filter((file) => file.endsWith('.template.json'));
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(outdir, file), 'utf8')]));
}

const orders = 'LoanOrders-prod.template.json';
const exchange = 'LoanOrdersLegacy-prod.template.json';

const byDefault = synthesize({});

test('the app synthesizes nothing of the bank exchange by default, or with -c legacy=no', () => {
  expect(Object.keys(byDefault)).toEqual([orders]);
  expect(byDefault[orders]).not.toMatch(/legacy/i);
  const app = new App({ context: { stage: 'prod', legacy: 'no' } });
  addExchange(app);
  expect(app.node.children).toEqual([]);
});

test('-c legacy=beside adds the exchange stack and does not change the order stack', () => {
  const templates = synthesize({ legacy: 'beside' });
  expect(Object.keys(templates).sort()).toEqual([orders, exchange].sort());
  expect(templates[orders]).toBe(byDefault[orders]);
  expect(templates[exchange]).not.toContain('Fn::ImportValue');
});

test('the app refuses another value of legacy with one sentence', () => {
  expect(() => addExchange(new App({ context: { stage: 'prod', legacy: 'yes' } }))).toThrow(
    /^-c legacy=yes is unknown: use -c legacy=<no \| beside \| alone>\.$/,
  );
});
