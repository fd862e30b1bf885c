import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAILURES } from '../../../commands/show/failure-advice.ts';
import { fromServer, REFUSALS, FAILURES as RUSSIAN } from '../../../console/page/messages/from-server.ts';
import { WHAT_HAPPENED } from '../../../core/order/what-happened.ts';

/** What the page says in Russian. */
const { failure, refusal, happened } = fromServer;
const [failed, refused, line] = [
  (error: string) => failure(error, '')[1],
  (sentence: string) => refusal(sentence)[1],
  (what: string) => happened(what)[1],
];

test('there are Russian words for each failure that the commands advise on, and for any other', () => {
  expect(Object.keys(RUSSIAN).sort()).toEqual([...Object.keys(FAILURES), 'other'].sort());
});

test.each(Object.entries(RUSSIAN))(
  'of %s it is said in one Russian sentence what happened and what to do',
  (_, said) => {
    expect(said).toMatch(/^[А-ЯЁA-Z][^.]+: [^.]+\.$/);
    expect(said.match(/[а-яё]/g)?.length).toBeGreaterThan(said.length / 2);
  },
);

test.each([
  ['Lambda.TooManyRequestsException', 'Lambda.'],
  ['Runtime.ExitError', 'Runtime.'],
  ['States.Timeout', 'States.Timeout'],
  ['States.DataLimitExceeded', 'other'],
  ['constructor', 'other'],
  ['other.thing', 'other'],
  ['', 'other'],
])('the failure %s has the Russian words of %s', (error, name) => {
  expect(failed(error)).toBe(RUSSIAN[name]);
});

test("each refusal that has Russian words is one of the console's server, and any other stays as it is", () => {
  const folder = new URL('../../../console/server/', import.meta.url);
  const server = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
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

test('each line of the timeline is Russian, and one of another release stays as it is', () => {
  for (const what of WHAT_HAPPENED) expect(line(what)).toMatch(/^[А-ЯЁ][^a-z]+$/);
  expect(line('Status CLOSED')).toBe('Статус: Закрыта');
  for (const what of ['Something else happened', 'constructor']) expect(line(what)).toBe(what);
});
