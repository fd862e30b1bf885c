import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundlesOf } from '../../infra/bundles/bundles.ts';

/** A cold start reads, and mostly compiles, all of a bundle. The source map is read for stack traces only. */
const MOST_BYTES = 500_000;

test('no bundle is larger than 500,000 bytes', () => {
  const { bundles } = bundlesOf(fileURLToPath(new URL('../../', import.meta.url)), {});
  const sizes = Object.entries(bundles).map(([name, files]) => ({ name, bytes: files['index.mjs']?.length ?? 0 }));
  expect(sizes.map(({ name }) => name)).toContain('receive');
  expect(sizes.filter(({ bytes }) => bytes === 0 || bytes > MOST_BYTES)).toEqual([]);
});
