import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkPackage, type PackageDefaults, whoChooses } from '../../../../core/package/package-schema.ts';
import { holds } from '../../../helpers/any-input.ts';
import { PACKAGE_DEFAULTS } from '../../../helpers/packages.ts';

const document = { file: 'documents/charter.pdf', entityId: 'e', sourceEntityId: 's', docType: 'CHARTER' };
const good = { order: { company: 'Romashka' }, documents: [document] };
const check = (value: unknown, stage: Partial<PackageDefaults> = {}) =>
  checkPackage(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), {
    ...PACKAGE_DEFAULTS,
    ...stage,
  });
const paths = (value: unknown, stage?: Partial<PackageDefaults>) =>
  check(value, stage)
    .problems.map(({ path }) => path)
    .sort();
const many = (one: unknown) => ({ ...good, documents: Array.from({ length: 3000 }, () => one) });

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
    ...['docType', 'file'].map((member) => `$.documents[0].${member}`),
    ...['docType', 'entityId', 'sourceEntityId'].map((member) => `$.documents[1].${member}`),
    ...['offers.choose', 'offers.rule', 'order', 'singing'].map((member) => `$.${member}`),
  ]);
  for (const { problem, fix } of problems) expect(problem.endsWith('.') && fix.endsWith('.')).toBe(true);
});

test('a file name with other characters, or outside the package, is rejected with advice', () => {
  const outside = ['documents/../x.pdf', '/documents/a.pdf', 'a.pdf', 'documents/', 'documents//a.pdf'];
  const others = ['documents/a b.pdf', 'documents/устав.pdf', 'documents/.hidden', 'documents/a\\b.pdf'];
  for (const file of [...outside, ...others, 'documents/a\nb.pdf']) {
    const [problem] = check({ ...good, documents: [{ ...document, file }] }).problems;
    const path = '$.documents[0].file';
    expect(problem, file).toMatchObject({ path, problem: `The file name ${JSON.stringify(file)} is not allowed.` });
    expect(problem?.fix).toContain('A-Z a-z');
  }
});

test('broken JSON is one problem that quotes nothing', () => {
  for (const text of ['', '{', '{"order": {"name": "Ivanov"', '[1,]', 'order']) {
    const { problems } = check(text);
    expect(problems, text).toMatchObject([{ path: '$' }]);
    expect(JSON.stringify(problems)).not.toContain('Ivanov');
  }
});

test('a property that occurs twice, at any depth, is a problem: its check and the service may read different ones', () => {
  const order = '{"amount":2000000,"owners":[{"inn":"1"},{"inn":"1","\\u0069nn":"2"}],"amount":1000}';
  const documents = '[{"file":"documents/a.pdf","entityId":"e","sourceEntityId":"s","docType":"t"}]';
  const text = `{"order":${order},"documents":${documents},"documents":${documents},"other":1}`;
  const { problems, order: checked } = checkPackage(Buffer.from(text), PACKAGE_DEFAULTS);
  expect(problems.map(({ path, code }) => [path, code])).toEqual([
    ['$.order.owners[1].inn', 'repeatedProperty'],
    ['$.order.amount', 'repeatedProperty'],
    ['$.documents', 'repeatedProperty'],
    ['$.other', 'unknownProperty'],
  ]);
  expect(checked).toBeDefined();
});

test('a package that is nested too deeply to be sent, or is not UTF-8, is rejected with that problem', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const [tooDeep] = check(`{"order":{"a":${deep}},"documents":[]}`).problems;
  expect(tooDeep).toMatchObject({ path: '$', problem: expect.stringContaining('deeper than 100 levels') });
  expect(paths({ ...good, order: { note: '[[[[{{{{'.repeat(50), list: [[[{}]]] } })).toEqual([]);
  expect(checkPackage(Buffer.from([0x7b, 0xc0, 0xe1, 0x7d]), PACKAGE_DEFAULTS).problems[0]?.problem).toContain('UTF-8');
});

const byRule = { ...good, offers: { choose: 'rule' } };
const byKms = { ...good, signing: 'kms' };

test.each<[string, unknown, Partial<PackageDefaults>, string[]]>([
  ['null', 'null', {}, ['$']],
  ['a list', '[]', {}, ['$']],
  ['without members', {}, {}, ['$.documents', '$.order']],
  ['with a member of an unusual name', { ...good, 'a b': 1 }, {}, ['$["a b"]']],
  ['that chooses by a rule, which nobody has', byRule, {}, ['$.offers.rule']],
  ['that chooses by a rule, with other problems', { ...byRule, order: {} }, {}, ['$.offers.rule', '$.order']],
  ['that chooses by the rule of the stage', byRule, { hasRule: true }, []],
  ['of a stage that chooses by a rule, which it lacks', good, { choose: 'rule' }, ['$.offers.rule']],
  ['with a rule', { ...good, offers: { choose: 'rule', rule: 'offers' } }, {}, []],
  ['with a rule and without choose', { ...good, offers: { rule: 'offers' } }, {}, []],
  [
    'with a mistake beside a missing rule',
    { ...good, offers: { choose: 'rule', choooose: 1 } },
    {},
    ['$.offers.choooose', '$.offers.rule'],
  ],
  ['signed by KMS, on a stage without a key', byKms, {}, ['$.signing']],
  ['signed by KMS, on a stage with a key', byKms, { hasKey: true }, []],
  ['signed by nobody that we know', { ...good, signing: 'gost' }, { hasKey: true }, ['$.signing']],
  ['with far too many documents', many(document), {}, ['$.documents']],
  ['with far too many documents that are none', many(1), {}, ['$.documents']],
])('a package %s has a problem in each place that is wrong', (_what, value, stage, expected) => {
  expect(paths(value, stage).slice(0, 2)).toEqual(expected);
});

test('a package with a rule and without choose uses the rule', () => {
  expect(whoChooses({ rule: 'offers' }, PACKAGE_DEFAULTS)).toBe('rule');
  expect(whoChooses({}, PACKAGE_DEFAULTS)).toBe('manual');
  expect(whoChooses(undefined, { choose: 'rule' })).toBe('rule');
});

test('a rule that is too long is not parsed, and the problem says how long it may be', () => {
  expect(check({ ...good, offers: { rule: `(${'"'.repeat(1_000_000)}` } }).problems).toEqual([
    {
      path: '$.offers.rule',
      problem: 'It has 1000001 characters; at most 20000 are allowed.',
      fix: 'Shorten it.',
      code: 'tooMany',
      params: { things: 'characters', most: 20_000, count: 1_000_001 },
    },
  ]);
});

test('none of too many documents is looked up, and other problems are reported too', () => {
  const { problems, files } = check({ order: {}, documents: Array(101).fill(document) });
  expect(problems).toEqual([
    expect.objectContaining({ path: '$.order' }),
    {
      path: '$.documents',
      problem: 'It has 101 elements; at most 100 are allowed.',
      fix: 'Shorten it.',
      code: 'tooMany',
      params: { things: 'elements', most: 100, count: 101 },
    },
  ]);
  expect(files).toEqual([]);
});

const MIB = 1024 * 1024;
const DOCUMENT = '{"file":"documents/a.pdf","entityId":"e","sourceEntityId":"s","docType":"t"}';

const list = (part: (position: number) => string, bytes: number) =>
  Array.from({ length: Math.floor(bytes / (part(0).length + 1)) }, (_, position) => part(position)).join(',');
const nested = (open: string, close: string, bytes: number) => {
  const count = Math.floor(bytes / (open.length + close.length));
  return open.repeat(count) + close.repeat(count);
};

const parts: ((bytes: number) => string)[] = [
  (bytes) => `"order":[${list(() => '{}', bytes)}]`,
  (bytes) => `"order":{"a":${nested('[', ']', bytes)}}`,
  (bytes) => `"order":{${list((position) => `"k${position}":1`, bytes)}}`,
  (bytes) => `"order":{${list(() => '"k":1', bytes)}}`,
  (bytes) => `"order":{"a":${'9'.repeat(bytes)}}`,
  (bytes) => `"documents":[${list(() => DOCUMENT, bytes)}]`,
  (bytes) => `"documents":[{${list((position) => `"\\u202e${position}":1`, bytes)}}]`,
  (bytes) => list((position) => `"k${position}":null`, bytes),
  ...['(', 'a.', '-', '[', '1?1:', 'function($a){', '/(a+)+', '<(nsb)', '{"a":'].map(
    (part) => (bytes: number) =>
      `"offers":{"rule":${JSON.stringify(part.repeat(Math.min(bytes, 20_000) / part.length))}}`,
  ),
  () => `"documents":[${DOCUMENT}]`,
  () => '"__proto__":{"offers":{"choose":"rule"}}',
];
const hostile = fc
  .record({
    chosen: fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 }),
    digits: fc.integer({ min: 1, max: 20 }),
    end: fc.constantFrom('}', '', '}}', '}\u0000'),
  })
  .map(({ chosen, digits, end }) => `{${chosen.map((part) => part(2 ** digits / chosen.length)).join(',')}${end}`);

test.each([
  ['deep', nested('[', ']', 1_000), 'is nested deeper than '],
  ['many', `[${list(() => '0', 200_002)}]`, 'has more than 100000 values.'],
])('values that are too %s are refused before they are parsed', (_what, value, problem) => {
  const { problems } = checkPackage(Buffer.from(`{"order":{"a":${value}}}`), PACKAGE_DEFAULTS);
  expect(problems).toMatchObject([{ path: '$', problem: expect.stringContaining(problem) }]);
});

test('hostile packages are answered quickly, and the answer is small', () =>
  holds(hostile, 50, (text) => {
    const before = process.memoryUsage().heapUsed;
    const { problems, content } = checkPackage(Buffer.from(text), PACKAGE_DEFAULTS);
    expect(content === undefined).toBe(problems.length > 0);
    for (const { path, problem, fix } of problems) expect([path, problem, fix]).not.toContain('');
    expect(JSON.stringify(problems).length).toBeLessThan(100_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(128 * MIB);
  }));
