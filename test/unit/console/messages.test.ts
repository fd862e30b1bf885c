import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failureOf } from '../../../commands/failure.ts';
import { fromServer, REFUSALS } from '../../../console/page/messages/from-server.ts';
import { order } from '../../../console/page/messages/order.ts';
import { WHAT_HAPPENED } from '../../../core/order/what-happened.ts';

/** How `evidence` ends what it says of a key that cannot be used. */
const FIX = 'No archive was written. Fix it (docs/evidence.md, "Who may sign"), or give --unsigned.';

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

/** What `evidence` refuses, as its sources have it, with an x for each name. */
function refusalsOfEvidence(): string[] {
  const sources = [
    'core/signing/kms-key',
    'commands/evidence/signatures',
    'commands/evidence',
    'commands/evidence/manifest',
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
function failureOfAws(name: string, message = '', code?: string): string {
  const error = Object.assign(new Error(message), { name, code });
  return failureOf(error, 'AWS').sentence.replace(/ Repeating the command .+/, '');
}

test('what evidence refuses is said in Russian, with what it names and what to do', () => {
  const said = [
    ...refusalsOfEvidence(),
    "The archive can't be written (ENOSPC): no archive was written.",
    failureOfAws('AccessDeniedException', 'not authorized to perform: s3:ListBucketVersions'),
    failureOfAws('AccessDenied'),
    failureOfAws('ExpiredToken'),
    failureOfAws('TimeoutError'),
    failureOfAws('Error', '', 'ENOTFOUND'),
    failureOfAws('CredentialsProviderError'),
  ];
  expect(said.length).toBeGreaterThan(17);
  expect(said.map(refused).filter((words) => /[a-z]{2} [a-z]{2}(?!.*»)/.test(words))).toEqual([]);
  const denied = said.find((sentence) => sentence.startsWith('These credentials')) ?? '';
  expect(refused(denied)).toContain('или отметьте «без подписи ключом стадии».');
  expect(refusal(denied)[0]).toContain(`tick "${order.actions.evidence.unsigned[0]}"`);
});

test('each line of the timeline is Russian, and one of another release stays as it is', () => {
  for (const what of WHAT_HAPPENED) expect(line(what)).toMatch(/^[А-ЯЁ][^a-z]+$/);
  expect(line('Status CLOSED')).toBe('Статус: Закрыта');
  for (const what of ['Something else happened', 'constructor']) expect(line(what)).toBe(what);
});
