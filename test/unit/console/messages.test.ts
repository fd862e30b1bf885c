import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromServer, REFUSALS } from '../../../console/page/messages/from-server.ts';
import { WHAT_HAPPENED } from '../../../core/order/what-happened.ts';

/** What the page says in Russian. */
const { refusal, happened } = fromServer;
const [refused, line] = [(sentence: string) => refusal(sentence)[1], (what: string) => happened(what)[1]];

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
