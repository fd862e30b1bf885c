import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { provideAssembly, readKept } from '../../../laptop/assembly.ts';

const APP = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
readFileSync('node_modules/may-synthesize');
mkdirSync(process.env.CDK_OUTDIR);
const write = (file, content) => writeFileSync(process.env.CDK_OUTDIR + '/' + file, content);
const stack = {
  type: 'aws:cloudformation:stack',
  environment: 'aws://unknown-account/unknown-region',
  properties: { templateFile: 'template.json' },
};
write('manifest.json', JSON.stringify({ version: '36.0.0', artifacts: { stack } }));
write('template.json', '{}');
write('setting', readFileSync('setting'));
`;

let root: string;
let directories = 0;
/** The setting in the synthesized assembly. After that the app fails, so that only a cached assembly can be used. */
let synthesized: string;

beforeAll(async () => {
  root = `${mkdtempSync(join(inject('temporaryDirectory'), 'kept-'))}/`;
  mkdirSync(`${root}node_modules`);
  mkdirSync(`${root}bin`);
  writeFileSync(`${root}package.json`, '{ "type": "module" }');
  writeFileSync(`${root}bin/app.ts`, APP);
  writeFileSync(`${root}setting`, 'first');
  // Neither a file that is too large for a template nor a broken link stops the synth.
  writeFileSync(`${root}large`, '');
  truncateSync(`${root}large`, 3 * 1024 ** 3);
  symlinkSync('nowhere', `${root}pointer`);
  maySynthesize(true);
  synthesized = await settingIn();
  maySynthesize(false);
});
afterEach(() => void vi.unstubAllEnvs());

const MAY = 'node_modules/may-synthesize';
const maySynthesize = (may: boolean) => (may ? writeFileSync(root + MAY, '') : rmSync(root + MAY));

async function settingIn(options: { context?: Record<string, string> } = {}): Promise<string> {
  directories += 1;
  const directory = `${root}cdk.out-${directories}`;
  await provideAssembly('local', directory, { root, ...options });
  return readFileSync(`${directory}/setting`, 'utf8');
}

test('an unchanged project uses its cached assembly without another synth', async () => {
  expect(synthesized).toBe('first');
  // As Powertools does in a process that imports it.
  vi.stubEnv('AWS_SDK_UA_APP_ID', 'another');
  expect(await settingIn()).toBe('first');
});

const write = (name: string, text: string) => () => writeFileSync(`${root}${name}`, text);
const remove = (name: string) => () => rmSync(`${root}${name}`);

test.each([
  ['a changed file', write('setting', 'second'), write('setting', 'first')],
  ['a new file', write('another', ''), remove('another')],
  ['a removed file', remove('setting'), write('setting', 'first')],
])('%s makes the project synthesize again', async (_what, change, undo) => {
  change();
  await expect(settingIn()).rejects.toThrow('The synth of stage local failed');
  undo();
  expect(await settingIn()).toBe('first');
});

test('an assembly is not cached if a file was saved during its synth, and a damaged cache is not used', async () => {
  const path = `${root}node_modules/.cache/loan-orders/assembly-local`;
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, -1));
  await expect(settingIn()).rejects.toThrow('The synth');
  maySynthesize(true);
  writeFileSync(`${root}bin/app.ts`, `${APP}writeFileSync('setting', 'saved');`);
  expect([await settingIn(), readKept(path)]).toEqual(['first', undefined]);
  writeFileSync(`${root}bin/app.ts`, APP);
  writeFileSync(`${root}setting`, 'first');
  maySynthesize(false);
  writeFileSync(path, whole);
  expect(await settingIn()).toBe('first');
});

test('another context or another variable that the CDK reads has its own cached assembly', async () => {
  await expect(settingIn({ context: { other: 'yes' } })).rejects.toThrow('The synth');
  vi.stubEnv('CDK_CONTEXT_JSON', '{}');
  await expect(settingIn()).rejects.toThrow('The synth');
});
