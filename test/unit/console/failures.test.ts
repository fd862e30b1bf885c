import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAILURES } from '../../../commands/show/failure-advice.ts';
import { failureInRussian, failures as russian } from '../../../console/page/messages/failures-ru.ts';
import { REFUSALS, refusalInRussian } from '../../../console/page/messages/refusals-ru.ts';

test('there are Russian words for each failure that the commands advise on, and for any other', () => {
  expect(Object.keys(russian).sort()).toEqual([...Object.keys(FAILURES), 'other'].sort());
});

test.each(Object.entries(russian))(
  'the page says of %s in one Russian sentence what happened and what to do',
  (_name, sentence) => {
    expect(sentence).toMatch(/^[А-ЯЁA-Z][^.]+: [^.]+\.$/);
    expect(sentence.match(/[а-яё]/g)?.length).toBeGreaterThan(sentence.length / 2);
  },
);

test.each([
  ['Lambda.TooManyRequestsException', 'Lambda.'],
  ['Runtime.ExitError', 'Runtime.'],
  ['States.Timeout', 'States.Timeout'],
  ['States.DataLimitExceeded', 'other'],
  ['TypeError', 'other'],
  ['constructor', 'other'],
  ['other.thing', 'other'],
  ['', 'other'],
])('the failure %s has the Russian words of %s', (error, name) => {
  expect(failureInRussian(error)).toBe(russian[name]);
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
