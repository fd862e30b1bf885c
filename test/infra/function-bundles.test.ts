import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { bundlesOf } from '../../infra/bundles/bundles.ts';

/** A cold start reads and mostly compiles the whole bundle. */
const MOST_BYTES = 760_000;
/** QuickJS and JSONata. They are read when a rule is applied, not at a cold start. */
const MOST_BYTES_OF_SANDBOX = 1_000_000;

const { bundles } = bundlesOf(fileURLToPath(new URL('../../', import.meta.url)));
const modules = Object.entries(bundles).map(([name, files]) => ({
  name,
  module: Buffer.from(files['index.mjs'] ?? ''),
}));
const threads = Object.entries(bundles).flatMap(([name, files]) =>
  Object.keys(files).flatMap((file) => (file.endsWith('-thread.mjs') ? [`${name}/${file}`] : [])),
);

test('no bundle is larger than 760,000 bytes', () => {
  expect(modules.map(({ name }) => name)).toContain('receive-upload');
  const sizes = modules.map(({ name, module }) => ({ name, bytes: module.length }));
  expect(sizes.filter(({ bytes }) => bytes === 0 || bytes > MOST_BYTES)).toEqual([]);
});

test('each deployed bundle is complete and loads by itself, although the laptop runs functions beside shared libraries', () => {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'deployed-'));
  for (const { name, module } of modules) writeFileSync(join(directory, `${name}.mjs`), module);
  const load = `for (const name of process.argv.slice(1)) if (!(await import(name)).handler) throw new Error(name);`;
  const files = modules.map(({ name }) => join(directory, `${name}.mjs`));
  execFileSync(process.execPath, ['--input-type=module', '--eval', load, ...files], { env: {} });
});

test('no bundle imports node:http, which would load all of fetch', () => {
  const importing = (library: string) =>
    modules.filter(({ module }) => module.includes(`from"${library}"`)).map(({ name }) => name);
  expect(importing('node:https')).toHaveLength(modules.length);
  expect([...importing('node:http'), ...importing('http')]).toEqual([]);
});

test('the thread of rules is bundled only with the function that starts it, and only this thread contains JSONata', () => {
  expect(threads).toEqual(['choose-offer/rule-evaluator-thread.mjs']);
  const files = bundles['choose-offer'] ?? {};
  const holding = Object.keys(files).filter((file) => Buffer.from(files[file] ?? '').includes('jsonata.min.js'));
  expect(holding).toEqual(['rule-evaluator-thread.mjs.map']);
  expect(files['rule-evaluator-thread.mjs']?.length).toBeLessThan(MOST_BYTES_OF_SANDBOX);
});
