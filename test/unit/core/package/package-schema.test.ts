import { expect, test } from 'vitest';
import { checkPackage, type PackageDefaults, whoChooses } from '../../../../core/package/package-schema.ts';

const document = { file: 'documents/charter.pdf', entityId: 'e', sourceEntityId: 's', docType: 'CHARTER' };
const good = { order: { company: 'Romashka' }, documents: [document] };
const defaults: PackageDefaults = {
  choose: 'manual',
  hasRule: false,
  signing: 'external',
  hasKey: false,
  limits: { documents: 100, ruleCharacters: 20_000 },
};
const check = (value: unknown, stage: PackageDefaults = defaults) =>
  checkPackage(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), stage);
const paths = (value: unknown) => check(value).problems.map(({ path }) => path);

test('a good package has no problems, even with a byte order mark', () => {
  expect(check(good)).toMatchObject({ problems: [], content: good, files: [{ position: 0, file: document.file }] });
  expect(check(`\uFEFF${JSON.stringify(good)}`).problems).toEqual([]);
});

test('all problems of a package are reported at once, each with its JSON path and how to fix it', () => {
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
  for (const { problem, fix } of problems) {
    expect(problem).toMatch(/\.$/);
    expect(fix).toMatch(/\.$/);
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
])('the file name %j is rejected with advice', (file) => {
  const [problem] = check({ ...good, documents: [{ ...document, file }] }).problems;
  expect(problem).toMatchObject({ path: '$.documents[0].file', problem: 'The file name is not allowed.' });
  expect(problem?.fix).toContain('A-Z a-z');
});

test.each(['', '{', '{"order": {"name": "Ivanov"', '[1,]', 'order'])(
  'the broken JSON %j is one problem that quotes nothing',
  (text) => {
    const { problems } = check(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toBe('$');
    expect(JSON.stringify(problems)).not.toContain('Ivanov');
  },
);

test('a package that is nested too deeply to be sent is rejected with that problem', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(check(`{"order":{"a":${deep}},"documents":[]}`).problems).toMatchObject([
    { path: '$', problem: expect.stringContaining('deeper than 100 levels') },
  ]);
  const flat = { ...good, order: { note: '[[[[{{{{'.repeat(50), list: [[[{}]]] } };
  expect(check(flat).problems).toEqual([]);
});

test('a package that is not UTF-8 is rejected with that problem', () => {
  expect(checkPackage(Buffer.from([0x7b, 0xc0, 0xe1, 0x7d]), defaults).problems[0]?.problem).toContain('UTF-8');
});

test('JSON that is not an object, and missing properties, are reported as problems', () => {
  expect(paths('null')).toEqual(['$']);
  expect(paths('[]')).toEqual(['$']);
  expect(paths({}).sort()).toEqual(['$.documents', '$.order']);
  expect(check({}).problems[0]).toMatchObject({ problem: 'It is missing.' });
});

test('properties with unusual names are in brackets in the path', () => {
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

test('a package with a problem in each place is told of a missing rule too, and of too many documents first', () => {
  const offers = { choose: 'rule', chooose: 1 };
  expect(paths({ ...good, offers }).sort()).toEqual(['$.offers.chooose', '$.offers.rule']);
  expect(paths({ ...good, documents: Array.from({ length: 3000 }, () => 1) })[0]).toBe('$.documents');
});

test('a value of the wrong type is not reported as missing', () => {
  expect(check({ ...good, documents: [{ ...document, entityId: 3 }] }).problems).toEqual([
    { path: '$.documents[0].entityId', problem: 'It is not a string in quotes.', fix: 'Write a string in quotes.' },
  ]);
});

test('a package with a rule and without choose uses the rule', () => {
  const offers = { rule: 'offers' };
  expect(check({ ...good, offers }).problems).toEqual([]);
  expect(whoChooses(offers, defaults)).toBe('rule');
  expect(whoChooses({}, defaults)).toBe('manual');
  expect(whoChooses(undefined, { choose: 'rule' })).toBe('rule');
});

test('a rule that is too long is not parsed, and the problem names the setting', () => {
  const offers = { rule: `(${'"'.repeat(1_000_000)}` };
  expect(check({ ...good, offers }).problems).toEqual([
    {
      path: '$.offers.rule',
      problem: 'It has 1000001 characters; at most 20000 are allowed.',
      fix: "Shorten it. The stage's setting limits.ruleCharacters does not allow more.",
    },
  ]);
});

test('a stage may allow fewer documents than the schema; all other problems are reported too', () => {
  const stage = { ...defaults, limits: { ...defaults.limits, documents: 1 } };
  const { problems, files } = check({ order: {}, documents: [document, document] }, stage);
  expect(problems).toEqual([
    expect.objectContaining({ path: '$.order' }),
    {
      path: '$.documents',
      problem: 'It has 2 elements; at most 1 are allowed.',
      fix: "Send fewer documents. The stage's setting limits.documents does not allow more.",
    },
  ]);
  expect(files).toEqual([]);
});

test('a package may ask for signing with KMS only if the stage has a key', () => {
  const byKms = { ...good, signing: 'kms' };
  expect(paths(byKms)).toEqual(['$.signing']);
  expect(check(byKms, { ...defaults, hasKey: true }).problems).toEqual([]);
  expect(paths({ ...good, signing: 'gost' })).toEqual(['$.signing']);
});

test('a list with far too many documents is one problem, and none of its files is looked up', () => {
  const { problems, files } = check({ ...good, documents: Array.from({ length: 3000 }, () => document) });
  expect(problems.map(({ path }) => path)).toEqual(['$.documents']);
  expect(files).toEqual([]);
});

test('the list of problems is limited', () => {
  const members = Object.fromEntries(Array.from({ length: 3000 }, (_, number) => [`m${number}`, 1]));
  expect(check({ ...good, ...members }).problems.length).toBe(200);
});
