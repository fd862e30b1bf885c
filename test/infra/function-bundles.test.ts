import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundlesOf } from '../../infra/bundles/bundles.ts';

/** A cold start reads, and mostly compiles, all of a bundle. The source map is read for stack traces only. */
const MOST_BYTES = 500_000;

const { bundles } = bundlesOf(fileURLToPath(new URL('../../', import.meta.url)), {});
const modules = Object.entries(bundles).map(([name, files]) => ({
  name,
  module: Buffer.from(files['index.mjs'] ?? ''),
}));

test('no bundle is larger than 500,000 bytes', () => {
  expect(modules.map(({ name }) => name)).toContain('receive');
  const sizes = modules.map(({ name, module }) => ({ name, bytes: module.length }));
  expect(sizes.filter(({ bytes }) => bytes === 0 || bytes > MOST_BYTES)).toEqual([]);
});

test('no bundle imports node:http, whose exports bring all of fetch', () => {
  const importing = (library: string) =>
    modules.filter(({ module }) => module.includes(`from"${library}"`)).map(({ name }) => name);
  expect(importing('node:https')).toHaveLength(modules.length);
  expect([...importing('node:http'), ...importing('http')]).toEqual([]);
});
