import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { commandsIn, outputOf } from '../helpers/commands-in.ts';
import { downloading } from '../helpers/faults.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { putSignature, signed } from '../helpers/signatures.ts';
import { openFolder } from '../helpers/signer-files.ts';

const names = ['Договор.pdf', '../../evil.pdf', 'evil.pdf\u202e', '..', 'NUL', 'Договор.pdf', `${'a'.repeat(300)}.pdf`];
/** Fits into no single packet. */
const content = (index: number) => Buffer.from(`document ${index} `.repeat(20_000));
const templates = names.map((name, index) => ({ fileId: `file-${index}`, name, content: content(index) }));
const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentTemplates: templates };
const world = await openWorld({ settings });
beforeEach(() => world.forget(settings));
const folder = openFolder();
const files = [
  'Договор.pdf',
  '_.._evil.pdf',
  'evil.pdf',
  'file-3.pdf',
  '_NUL.pdf',
  'Договор-2.pdf',
  `${'a'.repeat(100)}.pdf`,
];

const { done, run } = commandsIn(world);
const documents = (...args: string[]) => run('documents', ...args);

test('documents lists what is to be signed, and --download saves it once, under safe and distinct names; a file with other bytes, a folder and a link are never overwritten, and stop no other document', async () => {
  await world.submitToSign('saved');
  expect((await world.documentsToSign('saved')).map(({ name }) => name)).toEqual(names);
  const list = await documents('saved');
  expect(list.stdout).toMatch(
    /^ROUND +FILE +SIZE +TYPE +FILE ID\n1 +Договор\.pdf +220\.0 KB +application\/pdf +file-0\n/,
  );
  const target = folder.path('new/folder');
  const saved = outputOf(await documents('saved', '--download', target));
  expect(saved).toContain(`7 documents of order saved in ${target}: 7 saved.\n`);
  expect(readdirSync(target).sort()).toEqual([...files].sort());
  expect(files.map((file) => readFileSync(join(target, file)))).toEqual(names.map((_name, index) => content(index)));
  expect(statSync(join(target, 'evil.pdf')).mode & 0o077).toBe(0);
  const before = files.map((file) => statSync(join(target, file)).mtimeMs);
  const again = await documents('saved', '--download', target);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(': 7 there already.\n') });
  expect(files.map((file) => statSync(join(target, file)).mtimeMs)).toEqual(before);
  const taken = folder.path('taken');
  mkdirSync(join(taken, 'evil.pdf'), { recursive: true });
  const mine = Buffer.alloc(content(0).length, 'mine');
  writeFileSync(join(taken, 'Договор.pdf'), mine);
  symlinkSync(folder.path('elsewhere'), join(taken, '_NUL.pdf'));
  const partly = await documents('saved', '--download', taken, '--json');
  const { documents: outcomes } = JSON.parse(partly.stdout);
  const refused = outcomes.filter(({ outcome }: { outcome: string }) => outcome === 'not saved');
  expect({ code: partly.code, files: refused.map(({ file }: { file: string }) => file).sort() }).toEqual({
    code: 1,
    files: ['_NUL.pdf', 'evil.pdf', 'Договор.pdf'],
  });
  expect(refused[0].problem).toContain('it was not overwritten');
  expect(readFileSync(join(taken, 'Договор.pdf'))).toEqual(mine);
  expect(existsSync(folder.path('elsewhere'))).toBe(false);
  expect(outcomes.filter(({ outcome }: { outcome: string }) => outcome === 'saved')).toHaveLength(4);
});

test('documents says why a signature was rejected, until a good one is there', async () => {
  world.simulator.settings.documentTemplates = templates.slice(0, 1);
  await world.submitToSign('rejected');
  world.clock.advanceTo(world.clock.now() + 1_000);
  const hasSignature = async () => JSON.parse(await done('show', 'rejected', '--json')).toSign[0].hasSignature;
  await putSignature(world, 'rejected', 'file-0', 'no signature');
  await world.aws.settle();
  const rejection =
    /^The signature of Договор\.pdf was rejected\. It cannot be read as CMS SignedData: it is a file of the format TXT\. Sign the document again/m;
  expect((await documents('rejected')).stdout).toMatch(rejection);
  expect(await hasSignature()).toBe(false);
  world.clock.advanceTo(world.clock.now() + 1_000);
  await putSignature(world, 'rejected', 'file-0', await signed(world, 'rejected', 'file-0'));
  await world.aws.settle();
  expect((await documents('rejected')).stdout).not.toContain('was rejected');
  expect(await hasSignature()).toBe(true);
});

test('signatures that arrive together have all arrived', async () => {
  await world.submitToSign('together');
  world.clock.advanceTo(world.clock.now() + 1_000);
  const signatures = await Promise.all(templates.map(({ fileId }) => signed(world, 'together', fileId)));
  await Promise.all(templates.map(({ fileId }, at) => putSignature(world, 'together', fileId, signatures[at] ?? '')));
  await world.aws.settle();
  const { timeline, toSign } = JSON.parse(await done('show', 'together', '--json'));
  expect(timeline.filter(({ what }: { what: string }) => what === 'A signature arrived').length).toBeLessThan(
    names.length,
  );
  expect(toSign.map(({ hasSignature }: { hasSignature: boolean }) => hasSignature)).toEqual(names.map(() => true));
});

test('documents means the newest round, and with --all every staged document, once and under the same name', async () => {
  const alike = templates.filter(({ name }) => name === 'Договор.pdf');
  world.simulator.settings.documentTemplates = alike;
  await world.submitToEnd('repeated', { scenario: 'second-signing-round' });
  const repeated = JSON.parse((await documents('repeated', '--all', '--json')).stdout);
  expect(repeated.documents.map(({ round, file }: { round: number; file: string }) => [round, file])).toEqual(
    ['Договор.pdf', 'Договор-2.pdf'].map((file) => [2, file]),
  );
  Object.assign(world.simulator.settings, { documentTemplates: undefined, documentsToSign: 2 });
  await world.submitToEnd('rounds', { scenario: 'second-signing-round' });
  const listed = async (...options: string[]) =>
    JSON.parse((await documents('rounds', '--json', ...options)).stdout)
      .documents.map(({ file }: { file: string }) => file)
      .sort();
  const ofRound = (round: number) => [1, 2].map((number) => `application-${round}-${number}.pdf`);
  expect(await listed()).toEqual(ofRound(2));
  expect(await listed('--all')).toEqual([...ofRound(1), ...ofRound(2)]);
});

test('documents refuses an order without documents, and an order that is not there', async () => {
  const none = await documents('nobody');
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no order nobody here') });
  await world.submitUntil('early', ({ status }) => status === 'IN_WORK');
  const early = await documents('early');
  expect(early.stderr).toMatch(/^Order early is IN_WORK and has no documents to sign in staging\. [^\n]+\.\n$/);
});

test('documents of a round that is still being staged are named, and the command does not end as if it had all of them', async () => {
  const held = Promise.withResolvers<void>();
  world.simulator.settings.documentTemplates = templates.slice(0, 2);
  world.simulator.hooks.before = async (call) => {
    if (downloading(call) && call.path.includes('/file-1/')) await held.promise;
  };
  const done = world.submitToSign('half-staged');
  const staged = async () => (await world.items('half-staged')).filter(({ item }) => item.startsWith('to-sign#'));
  await expect.poll(staged).toHaveLength(1);
  const target = folder.path('half-staged');
  const { code, stdout } = await documents('half-staged', '--download', target);
  expect({ code, saved: readdirSync(target) }).toEqual({ code: 1, saved: ['Договор.pdf'] });
  expect(stdout).toMatch(/: 1 saved\.\nNot in staging yet: 1 document \(file-1\)\. Repeat the command/);
  const listed = await documents('half-staged', '--json');
  expect({ code: listed.code, ...JSON.parse(listed.stdout) }).toMatchObject({ code: 1, notStaged: ['file-1'] });
  held.resolve();
  await done;
  expect(await documents('half-staged', '--download', target)).toMatchObject({ code: 0 });
});

test('a document whose staged version is gone is named, and the others are saved', async () => {
  world.simulator.settings.documentTemplates = templates.slice(0, 2);
  await world.submitToSign('gone');
  await world.removeStaged((await world.documentsToSign('gone'))[0]);
  const { code, stdout } = await documents('gone', '--download', folder.path('gone'));
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Договор\.pdf +not saved +This version of it is gone from staging: it was not saved\.$/m);
  expect(stdout).toContain('1 saved, 1 not saved.');
});
