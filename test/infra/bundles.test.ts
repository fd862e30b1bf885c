import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { bundlesOf } from '../../infra/bundles/bundles.ts';
import { keepBundle, readKept } from '../../infra/bundles/cache.ts';

let root: string;
const write = (file: string, text: string) => {
  mkdirSync(join(root, file, '..'), { recursive: true });
  writeFileSync(join(root, file), text);
};
function bundle() {
  const { bundles, built } = bundlesOf(root);
  const texts = Object.entries(bundles).map(([name, files]) => [
    name,
    Buffer.from(files['index.mjs'] ?? '').toString(),
  ]);
  return { built, texts: Object.fromEntries(texts) as Record<string, string>, bundles };
}
const cache = () => join(root, 'node_modules/.cache/loan-orders');
const kept = () => join(cache(), readdirSync(cache())[0] ?? '');

beforeEach(() => {
  // Files that were saved at the moment of the build would not be cached.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  root = `${mkdtempSync(join(tmpdir(), 'bundles-'))}/`;
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json']) write(file, '{}');
  write('core/greet.ts', "export const greet = (name: string) => 'Hello ' + name;");
  for (const name of ['morning', 'evening']) {
    const call = `greet('${name}' + process.env.PLACE)`;
    write(
      `functions/${name}/handler.ts`,
      `import { greet } from '../../core/greet.ts';\nexport const handler = () => ${call};`,
    );
  }
});

test('with libraries, functions share one instance of a package', async () => {
  write('node_modules/counter/package.json', '{ "name": "counter", "type": "module", "main": "index.js" }');
  write('node_modules/counter/index.js', 'let count = 0;\nexport const next = () => ++count;');
  for (const name of ['morning', 'evening'])
    write(`functions/${name}/handler.ts`, "import { next } from 'counter';\nexport const handler = () => next();");
  const { bundles } = bundlesOf(root, true);
  for (const [name, files] of Object.entries(bundles))
    for (const [file, content] of Object.entries(files)) write(`built/${name}/${file}`, String(Buffer.from(content)));
  const { handler: first } = await import(join(root, 'built/morning/index.mjs'));
  const { handler: second } = await import(join(root, 'built/evening/index.mjs'));
  expect([first(), second()]).toEqual([1, 2]);
  expect(JSON.parse(String(Buffer.from(bundles.morning?.['index.mjs.map'] ?? ''))).sources).toEqual([
    '../../functions/morning/handler.ts',
  ]);
  expect(bundlesOf(root).bundles).not.toHaveProperty('libraries');
});

test('an unchanged project is not built again, and its bundles have the same bytes', async () => {
  const first = bundle();
  const second = bundle();
  expect([first.built, second.built]).toEqual([true, false]);
  expect(second.texts).toEqual(first.texts);
});

test('a changed source or setting is built again, and so is a new or a removed function', async () => {
  bundle();
  write('core/greet.ts', "export const greet = (name: string) => 'Goodbye ' + name;");
  expect(bundle()).toMatchObject({ built: true, texts: { morning: expect.stringContaining('Goodbye') } });
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json']) {
    write(file, '{ "name": "changed" }');
    expect([bundle().built, bundle().built], file).toEqual([true, false]);
  }
  write('functions/noon/handler.ts', 'export const handler = () => 12;');
  expect(bundle()).toMatchObject({ built: true, texts: { noon: expect.stringContaining('12') } });
  rmSync(join(root, 'functions/noon'), { recursive: true });
  expect(Object.keys(bundle().texts)).not.toContain('noon');
});

test.each([
  ['cut off', (content: Buffer) => content.subarray(0, content.length - 1)],
  ['of another version of its format', (content: Buffer) => content.fill(0xfe, 0, 2)],
])('a cache that is %s is not used', async (_how, damage) => {
  const whole = bundle();
  writeFileSync(kept(), damage(readFileSync(kept())));
  expect(bundle()).toEqual({ ...whole, built: true });
});

test('the project is built without a cache if nothing can be cached', async () => {
  write('node_modules/.cache', 'a file in the way of the folder');
  expect([bundle().built, bundle().built]).toEqual([true, true]);
});

test('a build is not cached if a file was saved during the build, because it may contain the old file', async () => {
  const made = { settings: 'settings', content: 'old' };
  const path = join(root, 'kept');
  for (const [startedAt, cached] of [
    [0, undefined],
    [Number.POSITIVE_INFINITY, 'old'],
  ] as const) {
    keepBundle(path, made, root, ['core/greet.ts'], startedAt);
    expect(readKept(path, 'settings', root)).toBe(cached);
  }
});

test('a failed build reports the message of esbuild', async () => {
  write('core/greet.ts', 'export const');
  expect(bundle).toThrow('core/greet.ts:1:12: ERROR');
});
