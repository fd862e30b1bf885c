import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failureOf } from '../../../commands/shared/failure.ts';
import { noOrder as noOrderHere } from '../../../commands/shared/order-details.ts';
import { LAPTOP } from '../../../commands/shared/place.ts';
import { fromServer, REFUSALS } from '../../../console/page/messages/from-server.ts';
import { order } from '../../../console/page/messages/order.ts';
import { WHAT_HAPPENED } from '../../../core/order/what-happened.ts';
import { orderDataCheck } from '../../../core/package/order-data.ts';
import { checkWholePackage } from '../../../core/package/whole-package.ts';
import type { RejectionProblem } from '../../../core/staging/rejected-upload.ts';
import {
  noOrder,
  notInPackage,
  removedOrder,
  unknownUpload,
  wrongFolder,
} from '../../../core/staging/unknown-upload.ts';

/** How `evidence` ends what it says of a key that cannot be used. */
const FIX = 'No archive was written. Fix it (docs/evidence.md, "Who may sign"), or give --unsigned.';

/** What the page says in Russian. */
const { refusal, happened, problem } = fromServer;
const [refused, line] = [(sentence: string) => refusal(sentence)[1], (what: string) => happened(what)[1]];

test("each refusal that has Russian words is one of the console's server or gate, and any other stays as it is", () => {
  const folder = new URL('../../../console/server/', import.meta.url);
  const files = [...readdirSync(folder), '../../core/signing/gate.ts'];
  const server = files.map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const said = Object.keys(REFUSALS);
  expect(said.filter((sentence) => !server.some((text) => text.includes(`'${sentence}'`)))).toEqual([]);
  const fixed = server.flatMap((text) =>
    [...text.matchAll(/new Refusal\('([^']+)'\)/g)].map(([, sentence]) => sentence),
  );
  expect(fixed.length).toBeGreaterThan(0);
  expect(said).toEqual(expect.arrayContaining(fixed));
  expect(refused('It is empty.')).toBe('Файл пуст.');
  expect(refused('There is no order nobody here.')).toBe('There is no order nobody here.');
});

/** What `evidence` refuses, as its sources have it, with an x for each name. */
function refusalsOfEvidence(): string[] {
  const sources = [
    'core/signing/kms-key',
    'commands/evidence/signatures',
    'commands/evidence/files',
    'commands/evidence',
  ];
  const text = sources.map((path) => readFileSync(new URL(`../../../${path}.ts`, import.meta.url), 'utf8')).join('');
  const named = text.replaceAll(/\$\{NOTHING\}/g, 'no archive was written').replaceAll(/\$\{[^}]+\}/g, 'x');
  const unusable = [...named.matchAll(/unusable\(\s*([`'"])(.+?)\1/g)].map(([, , words]) => `${words} ${FIX}`);
  const others = [...named.matchAll(/new Refusal\(\s*`(.+? no archive was written.+?)`/g)].map(
    ([, words = '']) => words,
  );
  return [...unusable, ...others.filter((words) => !words.includes('--out'))];
}

/** How the console describes a failure of AWS. */
function failureOfAws(name: string, message = '', code?: string, where = 'AWS'): string {
  const error = Object.assign(new Error(message), { name, code });
  return failureOf(error, where).sentence.replace(/ Repeating the command .+/, '');
}

test('what evidence refuses is said in Russian, with what it names and what to do', () => {
  const said = [
    ...refusalsOfEvidence(),
    "The archive can't be written (ENOSPC): no archive was written.",
    failureOfAws('AccessDeniedException', 'not authorized to perform: s3:ListBucketVersions'),
    failureOfAws('AccessDenied'),
    failureOf(noOrderHere('nobody'), 'AWS').sentence,
    failureOfAws('ExpiredToken'),
    failureOfAws('TimeoutError'),
    failureOfAws('Error', '', 'ENOTFOUND'),
    failureOfAws('Error', '', 'ECONNREFUSED', `${LAPTOP} at http://127.0.0.1:4566`),
    failureOfAws('AccessDenied', '', undefined, `${LAPTOP} at http://127.0.0.1:4566`),
    failureOfAws('CredentialsProviderError'),
  ];
  expect(said.length).toBeGreaterThan(17);
  expect(said.map(refused).filter((words) => /[a-z]{2} [a-z]{2}(?!.*»)/.test(words))).toEqual([]);
  const denied = said.find((sentence) => sentence.startsWith('These credentials')) ?? '';
  expect(refused(denied)).toContain('или отметьте «без подписи ключом стадии».');
  expect(refusal(denied)[0]).toContain(`tick "${order.actions.evidence.unsigned[0]}"`);
});

const GIB = 2 ** 30;

/** All that the checks of packages find in these texts. The stage has no key and no rule. */
async function problemsOfPackages(...texts: string[]): Promise<RejectionProblem[]> {
  const sizes: Record<string, number> = { 'documents/empty': 0, 'documents/large': 6 * GIB, 'documents/fits': 5 * GIB };
  const find = async (file: string) =>
    file in sizes ? { size: sizes[file] ?? 0, versionId: '', contentType: 'text/plain' } : undefined;
  const near = (file: string) => (file === 'documents/Near' ? 'documents/near' : undefined);
  const settings = {
    choose: 'manual',
    hasRule: false,
    signing: 'external',
    hasKey: false,
    documentBytes: 5 * GIB,
  } as const;
  const checks = texts.map((text) =>
    checkWholePackage(
      { folder: 'Заявка', hasValidName: false, bytes: text === '' ? undefined : Buffer.from(text), find, near },
      settings,
    ),
  );
  return (await Promise.all(checks)).flatMap(({ problems }) => problems);
}

function wrongPackages(): string[] {
  const names = ['empty', 'large', 'missing', 'Near', 'fits'].map((name) => `documents/${name}`);
  const document = (file: unknown) => ({ file, entityId: '', sourceEntityId: 7, docType: 'A' });
  const parts = [
    { order: {}, documents: [], signing: 'fax', offers: { choose: 'rule' }, extra: 1 },
    { order: 1, documents: Array(101).fill(document('x')), signing: 'kms', offers: { rule: '('.repeat(20_001) } },
    { order: { a: 1 }, documents: [document('Устав.pdf'), ...Array(11).fill(document('documents/fits'))] },
    { documents: [document('x'.repeat(300))], offers: { rule: '((' } },
    ...names.map((name) => ({ order: { a: 1 }, documents: [document(name)] })),
  ];
  const odd = ['{"a"', '{"a" 1}', '[]', `${'['.repeat(101)}`, ''];
  return [...parts.map((part) => JSON.stringify(part)), ...odd];
}

const ORDER_SCHEMA = {
  required: ['missing'],
  dependentRequired: { low: ['term'] },
  additionalProperties: false,
  properties: {
    low: { minimum: 5, exclusiveMinimum: 4.5, multipleOf: 0.3 },
    high: { maximum: 5, exclusiveMaximum: 5 },
    kind: { type: ['string', 'number', 'boolean', 'null', 'array'], description: 'Вид' },
    currency: { enum: Array.from({ length: 30 }, (_, at) => `C${at}`) },
    text: { minLength: 4, maxLength: 1, pattern: '^\\d+$' },
    digits: { pattern: '^\\d{10,12}$' },
    list: { minItems: 3, maxItems: 1, uniqueItems: true, items: { format: 'date' } },
    object: { minProperties: 3, maxProperties: 1, propertyNames: { maxLength: 1 } },
    forms: { anyOf: [{ minimum: 5 }, { multipleOf: 2 }] },
    both: { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    either: { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    none: false,
    not: { not: {} },
    payment: {
      enum: ['Cash or transfer', 'a "whole" number. Add it.', '10 digits', null],
      description: 'Cash or transfer. It is "missing". Write 5 or more.',
    },
    flag: { type: 'boolean' },
    few: { contains: { type: 'null' } },
    pair: { prefixItems: [{}], items: false, contains: { type: 'null' }, maxContains: 2 },
    ...Object.fromEntries(['date-time', 'email', 'uri', 'uuid', 'ipv4'].map((format) => [format, { format }])),
  },
};
const ORDER = {
  ...{
    low: 1,
    high: 6,
    kind: {},
    currency: '',
    text: 'ab',
    digits: '1',
    list: ['x', 'x'],
    object: { long: 1, more: 2 },
  },
  ...{ forms: 3, both: 3, either: {}, none: 1, not: 1, curency: 1, unknown: 1 },
  ...{ payment: 'Cash', flag: 'true', few: [], pair: [1, 2] },
  ...{ 'date-time': '', email: '', uri: '', uuid: '', ipv4: '' },
};

/** A value or a name that stays the same in every language. */
const STRING = /"(?:[^"\\]|\\.)*"/g;

/** What is said of an order.json that comes after its order was started. */
function afterStart(): RejectionProblem[] {
  const text = readFileSync(new URL('../../../functions/check-package/reject-package.ts', import.meta.url), 'utf8');
  const [found = '', fix = ''] = ['problem: `(.+)`', "fix: '(.+)'"].map(
    (part) => new RegExp(part).exec(text)?.[1] ?? '',
  );
  return [{ problem: found.replace(/\$\{\w+\}/, 'CLOSED'), fix }];
}

test('what is wrong with packages and uploads, and how to fix it, is said in Russian', async () => {
  const keys = ['a', 'Orders/a/b', 'orders/a', 'orders/a b/c', 'orders/a/Order.json', 'orders/a/b/order.json'];
  const more = ['orders/a/document/b', 'orders/a/b', 'orders/a/documents/я', 'orders/a/signatures/я'];
  const found: RejectionProblem[] = [
    ...(await problemsOfPackages(...wrongPackages())),
    ...orderDataCheck(ORDER_SCHEMA)(ORDER),
    ...[...keys, ...more].map(unknownUpload),
    ...[noOrder, notInPackage, removedOrder, wrongFolder],
    ...afterStart(),
  ];
  const said = new Set(found.flatMap((one) => [one.problem, one.fix, `${one.problem} ${one.fix}`]));
  expect(said.size).toBeGreaterThan(150);
  for (const text of said) {
    const [own = '', quotation] = text.split(/ The schema says of it: "(.+)"\.$/);
    const quoted = own.match(STRING) ?? [];
    const russian = problem(text)[1] ?? '';
    const words = russian.replace(`«${quotation}»`, '').replaceAll(STRING, '');
    expect(words).toMatch(/[а-яё]/);
    expect(words).not.toMatch(/[a-z]{2} [a-z]{2}/i);
    expect(russian.match(STRING) ?? []).toEqual(expect.arrayContaining(quoted));
    if (quotation !== undefined) expect(russian).toContain(` В схеме сказано: «${quotation}».`);
  }
  expect(problem('It is not a number without quotes. Write a number without quotes.')[1]).toBe(
    'Это не число без кавычек. Напишите так: число без кавычек.',
  );
  expect(problem('It is not true or false. Write true or false.')[1]).toBe(
    'Нужно true или false. Напишите так: true или false.',
  );
  expect(problem('It is something else.')[1]).toBe('It is something else.');
});

test('each line of the timeline is Russian, and one of another release stays as it is', () => {
  for (const what of WHAT_HAPPENED) expect(line(what)).toMatch(/^[А-ЯЁ][^a-z]+$/);
  expect(line('Status CLOSED')).toBe('Статус: Закрыта');
  for (const what of ['Something else happened', 'constructor']) expect(line(what)).toBe(what);
});
