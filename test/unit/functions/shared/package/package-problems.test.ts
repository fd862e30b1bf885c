import { expect, test } from 'vitest';
import {
  checkPackage,
  type PackageDefaults,
  whoChooses,
} from '../../../../../functions/shared/package/package-problems.ts';

const document = { file: 'documents/charter.pdf', entityId: 'e', sourceEntityId: 's', docType: 'CHARTER' };
const good = { order: { company: 'Romashka' }, documents: [document] };
const defaults: PackageDefaults = { choose: 'manual', hasRule: false, signing: 'external', hasKey: false };
const check = (value: unknown, stage: PackageDefaults = defaults) =>
  checkPackage(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), stage);
const paths = (value: unknown) => check(value).problems.map(({ path }) => path);

test('a good package has no problems, with a byte order mark too', () => {
  expect(check(good)).toMatchObject({ problems: [], content: good, files: [{ position: 0, file: document.file }] });
  expect(check(`\uFEFF${JSON.stringify(good)}`).problems).toEqual([]);
});

test('every problem is told at once, each with its JSON path and how to mend it', () => {
  const { problems, content, files } = check({
    order: {},
    documents: [
      { ...document, file: '../secret.pdf', docType: '' },
      { file: 'documents/a.pdf', entityId: 5 },
    ],
    singing: 'external',
    offers: { choose: 'dice', rule: '$$$(' },
  });
  expect(content).toBeUndefined();
  expect(files).toEqual([{ position: 1, file: 'documents/a.pdf' }]);
  expect(problems.map(({ path }) => path).sort()).toEqual([
    '$.documents[0].docType',
    '$.documents[0].file',
    '$.documents[1].docType',
    '$.documents[1].entityId',
    '$.documents[1].sourceEntityId',
    '$.offers.choose',
    '$.offers.rule',
    '$.order',
    '$.singing',
  ]);
  for (const { problem, mend } of problems) {
    expect(problem).toMatch(/\.$/);
    expect(mend).toMatch(/\.$/);
  }
});

test.each([
  'documents/../x.pdf',
  'documents/a b.pdf',
  'documents/устав.pdf',
  '/documents/a.pdf',
  'documents/',
  'documents/.hidden',
  'a.pdf',
  'documents//a.pdf',
  'documents/a\\b.pdf',
  'documents/a\nb.pdf',
])('file name %j is refused with advice', (file) => {
  const [problem] = check({ ...good, documents: [{ ...document, file }] }).problems;
  expect(problem).toMatchObject({ path: '$.documents[0].file', problem: 'The file name is not allowed.' });
  expect(problem?.mend).toContain('A-Z a-z');
});

test.each(['', '{', '{"order": {"name": "Ivanov"', '[1,]', 'order'])(
  'broken JSON %j is one problem that quotes nothing',
  (text) => {
    const { problems } = check(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toBe('$');
    expect(JSON.stringify(problems)).not.toContain('Ivanov');
  },
);

test('a package nested too deeply to be sent on is told so', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(check(`{"order":{"a":${deep}},"documents":[]}`).problems).toMatchObject([
    { path: '$', problem: expect.stringContaining('deeper than 100 levels') },
  ]);
  const flat = { ...good, order: { note: '[[[[{{{{'.repeat(50), list: [[[{}]]] } };
  expect(check(flat).problems).toEqual([]);
});

test('text that is not UTF-8 is told so', () => {
  expect(checkPackage(Buffer.from([0x7b, 0xc0, 0xe1, 0x7d]), defaults).problems[0]?.problem).toContain('UTF-8');
});

test('other JSON than an object, and missing members', () => {
  expect(paths('null')).toEqual(['$']);
  expect(paths('[]')).toEqual(['$']);
  expect(paths({}).sort()).toEqual(['$.documents', '$.order']);
  expect(check({}).problems[0]).toMatchObject({ problem: 'It is missing.' });
});

test('members with unusual names are bracketed in the path', () => {
  expect(paths({ ...good, 'a b': 1 })).toEqual(['$["a b"]']);
});

test('a rule must come from the package or the stage', () => {
  const byRule = { ...good, offers: { choose: 'rule' } };
  expect(paths(byRule)).toEqual(['$.offers.rule']);
  expect(paths({ ...byRule, order: {} }).sort()).toEqual(['$.offers.rule', '$.order']);
  expect(check(byRule, { ...defaults, hasRule: true }).problems).toEqual([]);
  expect(check(good, { ...defaults, choose: 'rule' }).problems).toHaveLength(1);
  expect(check({ ...good, offers: { choose: 'rule', rule: 'offers' } }).problems).toEqual([]);
});

test('a value of the wrong type is not called missing', () => {
  expect(check({ ...good, documents: [{ ...document, entityId: 3 }] }).problems).toEqual([
    { path: '$.documents[0].entityId', problem: 'It is not a string in quotes.', mend: 'Write a string in quotes.' },
  ]);
});

test('a rule without a word on who chooses is meant to choose', () => {
  const offers = { rule: 'offers' };
  expect(check({ ...good, offers }).problems).toEqual([]);
  expect(whoChooses(offers, defaults)).toBe('rule');
  expect(whoChooses({}, defaults)).toBe('manual');
  expect(whoChooses(undefined, { choose: 'rule' })).toBe('rule');
});

test('a rule that is too long is not parsed', () => {
  const offers = { rule: `(${'"'.repeat(1_000_000)}` };
  const began = performance.now();
  expect(check({ ...good, offers }).problems).toEqual([
    { path: '$.offers.rule', problem: 'It is longer than 20000.', mend: 'Shorten it.' },
  ]);
  expect(performance.now() - began).toBeLessThan(1_000);
});

test('kms can be asked for only where the stage has a key', () => {
  const byKms = { ...good, signing: 'kms' };
  expect(paths(byKms)).toEqual(['$.signing']);
  expect(check(byKms, { ...defaults, hasKey: true }).problems).toEqual([]);
  expect(paths({ ...good, signing: 'gost' })).toEqual(['$.signing']);
});

test('a list of documents that is far too long is one problem, and none of its files is looked up', () => {
  const { problems, files } = check({ ...good, documents: Array.from({ length: 3000 }, () => document) });
  expect(problems.map(({ path }) => path)).toEqual(['$.documents']);
  expect(files).toEqual([]);
});

test('the list of problems has an end', () => {
  const members = Object.fromEntries(Array.from({ length: 3000 }, (_, number) => [`m${number}`, 1]));
  expect(check({ ...good, ...members }).problems.length).toBe(200);
});
