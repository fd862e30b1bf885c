import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FAILURES_WITH_ADVICE } from '../../../commands/show/failure-advice.ts';
import { failures as english, failureWords } from '../../../console/page/messages/failures-en.ts';
import { failures as russian } from '../../../console/page/messages/failures-ru.ts';
import { REFUSALS, refusalInRussian } from '../../../console/page/messages/refusals-ru.ts';
import { errorNames } from '../../../core/errors.ts';

const FAMILIES = ['Lambda.', 'Runtime.'];
const ENDS = ['AbortedByOperator', 'DismissedByOperator', 'ABORTED', 'TIMED_OUT'];

describe.each([
  ['English', english],
  ['Russian', russian],
])('the page in %s', (language, words) => {
  test('has a sentence for each failure that the commands advise on, its families, and any other', () => {
    expect(Object.keys(words).sort()).toEqual([...FAILURES_WITH_ADVICE, ...FAMILIES, 'other'].sort());
    expect(Object.keys(words)).toEqual(expect.arrayContaining([...errorNames, ...ENDS]));
  });

  test.each(Object.entries(words))('says of %s in one sentence what happened and what to do', (_name, sentence) => {
    expect(sentence).toMatch(language === 'Russian' ? /^[А-ЯЁA-Z][^.]+: [^.]+\.$/ : /^[A-Z][^.]+: [^.]+\.$/);
    if (language === 'Russian') expect(sentence.match(/[а-яё]/g)?.length).toBeGreaterThan(sentence.length / 2);
  });
});

test.each([
  ['Lambda.TooManyRequestsException', 'Lambda.'],
  ['Runtime.ExitError', 'Runtime.'],
  ['States.Timeout', 'States.Timeout'],
  ['States.DataLimitExceeded', 'other'],
  ['TypeError', 'other'],
  ['constructor', 'other'],
  ['other.thing', 'other'],
  ['', 'other'],
] as const)('the failure %s has the sentence of %s', (error, name) => {
  expect(failureWords(english, error)).toBe(english[name]);
  expect(failureWords(russian, error)).toBe(russian[name]);
});

test("each refusal that has Russian words is one of the console's server, and any other stays as it is", () => {
  const folder = new URL('../../../console/server/', import.meta.url);
  const server = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  for (const sentence of Object.keys(REFUSALS)) {
    expect(
      server.some((text) => text.includes(`'${sentence}'`)),
      sentence,
    ).toBe(true);
  }
  const fixed = server.flatMap((text) => [...text.matchAll(/new Refusal\('([^']+)'\)/g)].map(([, said]) => said));
  expect(fixed.length).toBeGreaterThan(0);
  expect(Object.keys(REFUSALS)).toEqual(expect.arrayContaining(fixed));
  expect(refusalInRussian('It is empty.')).toBe('Файл пуст.');
  expect(refusalInRussian('There is no order nobody here.')).toBe('There is no order nobody here.');
});
