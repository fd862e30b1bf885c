import { readdirSync, readFileSync } from 'node:fs';
import { REASONS, reason } from '@business-loan-orders/detached-signatures/reasons';
import { expect, test } from 'vitest';
import { commandFailure } from '../../../commands/shared/failure.ts';
import { noOrder as noOrderHere } from '../../../commands/shared/order-details.ts';
import { LAPTOP } from '../../../commands/shared/place.ts';
import { type Failure, failure, REFUSALS } from '../../../commands/shared/refusals.ts';
import type { Catalogue } from '../../../console/api.ts';
import { fromServer } from '../../../console/page/messages/from-server.ts';
import { order } from '../../../console/page/messages/order.ts';
import { RUSSIAN, VALID_ONE } from '../../../console/page/messages/russian.ts';
import { ENGLISH, inWords } from '../../../core/messages/english.ts';
import { say } from '../../../core/messages/say.ts';
import { WHAT_HAPPENED } from '../../../core/order/what-happened.ts';
import { orderDataCheck } from '../../../core/package/order-data.ts';
import type { RejectionProblem } from '../../../core/staging/rejected-upload.ts';

/** What the page says in Russian. */
const { happened, rejectedSignature } = fromServer;
const line = (what: string) => happened(what)[1];
const problem = (found: RejectionProblem) => fromServer.problem(found)[1] ?? '';
const refused = (failed: Failure) => fromServer.failure(failed)[1] ?? '';

/** What each sentence is given; several where it says one thing or another. */
type Samples = {
  [Code in keyof Catalogue as Catalogue[Code] extends string ? never : Code]: Catalogue[Code] extends (
    params: infer Params,
  ) => string
    ? [Params, ...Params[]]
    : never;
};

const WANTED: Samples['wrongKind'] = [
  { kinds: ['string', 'ipv4', 'date-time'] },
  { values: ['"a or b"', 'null'], more: 3 },
];
const AWS = { where: 'AWS' };
const LAPTOP_AWS = { where: `${LAPTOP} at http://127.0.0.1:4566`, laptop: 'http://127.0.0.1:4566' };
const LATE = { at: '2026-01-31T09:00:00.000Z' };
const folder = 'orders/a/';

const SAMPLES: Samples = {
  missing: [{}, ...WANTED],
  wrongKind: WANTED,
  notAllowed: WANTED,
  noneOf: WANTED,
  neededBy: [{ property: 'term' }],
  unknownProperty: [{}, { near: 'term' }],
  tooFew: [
    { things: 'characters', least: 2 },
    { things: 'elements', least: 3 },
  ],
  tooMany: [
    { things: 'properties', most: 2 },
    { things: 'elements', most: 100, count: 101 },
  ],
  below: [{ least: 5 }],
  above: [{ most: 5 }],
  notMoreThan: [{ than: 5 }],
  notLessThan: [{ than: 5 }],
  notMultiple: [{ of: 0.3 }],
  contains: [{ least: 1 }, { least: 0, most: 2 }],
  sameElements: [{ one: 0, other: 1 }],
  notDigits: [{ digits: ['10'] }, { digits: ['10', '12'] }],
  pattern: [{ pattern: '^a+$' }],
  schemaSays: [{ hint: 'Вид' }],
  notUtf8: [{ name: 'order.json' }],
  tooDeep: [{ name: 'order.json', most: 100 }],
  tooManyValues: [{ name: 'order.json', most: 100_000 }],
  notJson: [{ name: 'order.json' }, { name: 'order.json', position: '3 (line 1 column 4)' }],
  orderTooLarge: [{ most: 1_048_576 }],
  folderName: [{}, { wouldDo: 'Zayavka' }],
  fileName: [{ file: '"Устав.pdf"' }, { file: '"Устав.pdf"', wouldDo: 'documents/Ustav.pdf' }],
  noFile: [
    { file: 'documents/a', key: 'orders/a/documents/a' },
    { file: 'documents/a', key: 'orders/a/documents/a', near: 'documents/A' },
  ],
  fileEmpty: [{ file: 'documents/a' }],
  fileTooLarge: [{ file: 'documents/a', size: 6, most: 5 }],
  packageTooLarge: [{ size: 6, most: 5 }],
  unreadable: [{ name: 'documents/a', why: 'archived' }],
  startedBefore: [{ status: 'CLOSED' }],
  folderMisspelled: [{ name: 'documents', folder }],
  looksLike: [
    { name: 'order.json', folder, isDeep: true },
    { name: 'order.json', folder, isDeep: false },
  ],
  unknownFile: [{ folder }],
  signatureName: [{ folder }],
  documentName: [{ most: 256 }],
  decisionTooLarge: [{ most: 1_048_576 }],
  offerConfirmed: [{ code: 'X' }],
  orderFinal: [{ status: 'CLOSED' }],
  signatureTooLarge: [{ size: 6, most: 5 }],
  signatureRefused: [{ httpStatus: 422 }],
  kmsRefuses: [{ name: 'DisabledException' }],
  kmsKeyType: [{ type: 'ECC_SECG_P256K1' }],
  noChain: [{ chain: 'signing/chain.pem' }],
  chainOfOther: [{ chain: 'signing/chain.pem' }],
  chainUnreadable: [{ chain: 'signing/chain.pem' }],
  'FORMAT_FAILURE.longer': [{ bytes: 1 }, { bytes: 2 }],
  'FORMAT_FAILURE.limit': [{ most: 16, of: 'signers' }],
  'FORMAT_FAILURE.looksLike': [{ what: 'PDF' }],
  NOT_YET_VALID: [{ from: '2026-01-31T09:00:00.000Z' }],
  EXPIRED: [LATE],
  'CHAIN_CONSTRAINTS_FAILURE.certificate': [{ certificate: 'AB:CD', why: 'signatureAlgorithm 1.2' }],
  'CRYPTO_CONSTRAINTS_FAILURE.keyBytes': [{ bytes: 64 }],
  HASH_FAILURE: [{ found: 'aa', expected: 'bb' }],
  'HASH_FAILURE.other': [{ document: 'a' }, { isEarlier: true }, { document: 'a', form: 'CRLF' }, { order: 'a' }],
  REVOKED: [LATE],
  'TRY_LATER.expired': [LATE],
  'CRYPTO_CONSTRAINTS_FAILURE.digest': [{ identifier: '1.2' }, { identifier: '1.2', name: 'MD5' }],
  'CRYPTO_CONSTRAINTS_FAILURE.digestAlgorithm': [{ identifier: '1.2' }],
  'CRYPTO_CONSTRAINTS_FAILURE.signature': [{ identifier: '1.2' }],
  TRY_LATER: [{ why: reason('TRY_LATER.noList') }],
  'SIG_CONSTRAINTS_FAILURE.notAccepted': [{ why: reason('TRY_LATER.noList') }],
  'SIG_CONSTRAINTS_FAILURE.size': [{ size: 6, most: 5 }],
  'SIG_CONSTRAINTS_FAILURE.signers': [{ most: 4 }],
  noOrderHere: [{ orderRef: 'a' }],
  nothingToSign: [{ orderRef: 'a', status: 'CLOSED' }],
  stillStaged: [{ orderRef: 'a' }],
  keyUnusable: [{ why: inWords('kmsSilent') }, { why: { problem: 'Другое.' } }],
  changed: [{ key: 'orders/a/order.json' }],
  removed: [{ key: 'orders/a/order.json' }],
  notWritten: [{ file: 'The archive', code: 'ENOSPC', nothing: 'no archive was written' }],
  accessDenied: [AWS, { ...LAPTOP_AWS, permission: 's3:GetObject' }],
  credentialsRefused: [{ ...AWS, name: 'ExpiredToken' }],
  timedOut: [AWS, LAPTOP_AWS],
  unreachable: [
    { ...AWS, code: 'ENOTFOUND' },
    { ...LAPTOP_AWS, code: 'ECONNREFUSED' },
  ],
};

const ALL = { ...ENGLISH, ...REFUSALS, ...REASONS };
/** A value or a name that stays the same in every language. */
const STRING = /"(?:[^"\\]|\\.)*"/g;
/** Two English words, or a placeholder. */
const LEFT_OVER = /undefined|NaN|\[object|\{\w+\}|[a-z]{2} [a-z]{2}/i;

test.each(Object.keys(ALL))('%s is said in each language, with all that it names', (code) => {
  for (const params of (SAMPLES as Record<string, object[]>)[code] ?? [undefined]) {
    const english = say(ALL, { code, params }) ?? '';
    const russian = say(RUSSIAN, { code, params }) ?? '';
    expect(english).toMatch(/[.")]$/);
    expect(english).not.toMatch(/undefined|NaN|\[object|\$\{/);
    expect(russian).toMatch(/[а-яё]/);
    expect(russian.replaceAll(/«[^»]*»|"[^"]*"/g, '')).not.toMatch(LEFT_OVER);
    const values = (english.match(STRING) ?? []).filter((one) =>
      Object.values(params ?? {})
        .flat()
        .includes(one),
    );
    expect(russian.match(STRING) ?? []).toEqual(expect.arrayContaining(values));
    expect(russian.split('\n')).toHaveLength(english.split('\n').length);
  }
});

test('what another release said, with a code that is unknown here or without its parameters, stays in English', () => {
  const words = { problem: 'It is something else.', fix: 'Do something else.' };
  const english = 'It is something else.\nDo something else.';
  for (const coded of [{}, { code: 'constructor' }, { code: 'somethingElse', params: { most: 5 } }, { code: 'below' }])
    expect(fromServer.problem({ ...words, ...coded })).toEqual([english, english]);
  expect(fromServer.failure({ error: 'No.' })).toEqual(['No.', 'No.']);
  expect(rejectedSignature({ fileId: 'a', problem: english })).toEqual([english, english]);
});

function failureOfAws(name: string, message = '', code?: string, where = 'AWS'): Failure {
  return commandFailure(Object.assign(new Error(message), { name, code }), where);
}

test('what evidence and AWS refuse is said in Russian, with what it names and what to do', () => {
  const laptop = `${LAPTOP} at http://127.0.0.1:4566`;
  const said: [Failure, string][] = [
    [failureOfAws('AccessDenied', 'not authorized to perform: s3:ListBucketVersions'), 'права s3:ListBucketVersions.'],
    [failureOfAws('AccessDenied'), 'Доступ запрещён (AWS): у учётных данных нет нужного права.'],
    [failureOfAws('AccessDenied', '', undefined, laptop), '(AWS этого ноутбука, http://127.0.0.1:4566)'],
    [commandFailure(noOrderHere('nobody'), 'AWS'), 'Заявки nobody здесь нет'],
    [failureOfAws('ExpiredToken'), 'Учётные данные не приняты (AWS, ExpiredToken). Войдите снова.'],
    [failureOfAws('TimeoutError'), 'Нет ответа вовремя: AWS.'],
    [failureOfAws('Error', '', 'ENOTFOUND'), 'Нет связи: AWS (ENOTFOUND). Проверьте сеть.'],
    [failureOfAws('Error', '', 'ECONNREFUSED', laptop), 'Запустите «loan-orders local»'],
    [failureOfAws('CredentialsProviderError'), 'Войдите в AWS (AWS_PROFILE).'],
    [failure('keyUnusable', { why: inWords('kmsSilent') }), 'Ответ KMS неполон. Архив не записан.'],
    [failure('keyNotAllowed'), `или отметьте «${order.actions.evidence.unsigned[1]}».`],
  ];
  for (const [failed, russian] of said) expect(refused(failed)).toContain(russian);
  expect(failure('keyNotAllowed').error).toContain(order.actions.evidence.unsigned[0]);
});

test('a rejected signature is said in Russian, with why it is not accepted and what to do', () => {
  const why = reason('NO_POE.unchecked');
  const words = { fileId: 'a', problem: '', code: 'SIG_CONSTRAINTS_FAILURE.notAccepted', params: { why } };
  expect(rejectedSignature(words)[1]).toBe(
    `Штамп времени подписи нельзя проверить. Такую подпись эта стадия не принимает.\n${VALID_ONE}`,
  );
});

test('a problem of an order schema has in Russian what the schema says of it, as it comes from staging', () => {
  const schema = { properties: { form: { enum: ['A'], description: 'Вид "A". Write it.' } } };
  const [found] = JSON.parse(JSON.stringify(orderDataCheck(schema)({ form: 'B' }))) as RejectionProblem[];
  expect(found && problem(found)).toBe(
    'Такое значение не допускается.\nНапишите так: "A". В схеме сказано: «Вид "A". Write it.».',
  );
});

test.each(['console', 'commands', 'core'])('no regular expression looks for words of ours in %s', (name) => {
  const folder = new URL(`../../../${name}/`, import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  expect(files.length).toBeGreaterThan(50);
  const REGULAR_EXPRESSION = /[([:=,] ?\/\^?[^/\n*]*[A-Za-z]{2,} \(?[A-Za-z]{2,}[^/\n]*\/[a-z]*[.,;)\]]/;
  /** PEM, what V8 and OpenSSL say, and addresses of files. */
  const OF_OTHERS = /BEGIN [A-Z]|at position |SSL alert number |\^(intake|staging) /;
  const lines = files.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').split('\n'));
  expect(lines.filter((line) => REGULAR_EXPRESSION.test(line) && !OF_OTHERS.test(line))).toEqual([]);
});

test('each line of the timeline is Russian, and one of another release stays as it is', () => {
  for (const what of WHAT_HAPPENED) expect(line(what)).toMatch(/^[А-ЯЁ][^a-z]+$/);
  expect(line('Status CLOSED')).toBe('Статус: Закрыта');
  for (const what of ['Something else happened', 'constructor']) expect(line(what)).toBe(what);
});
