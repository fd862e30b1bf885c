import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { elementTexts } from '../../../core/json/lossless-json.ts';
import { expectFailedExecution, expectSentMembers, type State } from '../../../test/helpers/sample-events.ts';
import { innProblem } from '../../core/inn.ts';
import { nextPage } from '../../core/next-page.ts';
import { checkOffers } from '../../core/offers-file.ts';
import { checkStatus } from '../../core/status-file.ts';
import { uploadedFile } from '../../core/upload.ts';
import { definitions } from '../../infra/functions.ts';

test.each<[string, string[]]>([
  ['[]', []],
  [' [ ] ', []],
  ['[1, 2.50 ,"a,b]"]', ['1', '2.50', '"a,b]"']],
  ['[{"a":[1,2],"b":"\\"}"},[3,[4]],null]', ['{"a":[1,2],"b":"\\"}"}', '[3,[4]]', 'null']],
  ['["\\\\",{}]', ['"\\\\"', '{}']],
])('the elements of the list %s keep their text', (text, elements) => {
  expect(elementTexts(text)).toEqual(elements);
});

test.each(['7707083893', '7830002293', '500100732259', '7728168971'])('%s is a valid tax number', (inn) => {
  expect(innProblem(inn)).toBeUndefined();
});

test.each(['7707083894', '500100732258', '500100732269', '77070838930', ' 7707083893', '٧٧٠٧٠٨٣٨٩٣', '', '0000000000'])(
  '%j is not a valid tax number, and the problem does not quote it',
  (inn) => {
    const problem = innProblem(inn);
    expect(problem).toBeDefined();
    if (inn !== '') expect(problem).not.toContain(inn);
  },
);

const page = { skip: 90, take: 100, overlap: 10, before: ['a', 'b'] };

test('pages need no common requests if the overlap is 0', () => {
  expect(nextPage({ ...page, overlap: 0, seen: [] })).toEqual({ skip: 190, isLast: true, joins: true });
});

test.each([
  ['legacy/status/a%2Fb.json', { what: 'status', name: 'a/b' }],
  ['legacy/offers/100%.json', { what: 'offers', name: '100%' }],
  ['legacy/status/a/b.json', undefined],
  ['legacy/status/.json', undefined],
  ['legacy/inns/a.json', undefined],
])('%s', (key, file) => {
  expect(uploadedFile(key)).toEqual(file);
});

const bytesOf = (content: unknown) => Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
const pathsIn = (checked: ReturnType<typeof checkStatus>) =>
  'problems' in checked ? checked.problems.map(({ path }) => path) : [];
const issued = { newStatus: 'issued', loanAmount: 1_000_000, loanTerm: 24 };

test.each<[unknown, string[]]>([
  [{ newStatus: 'issued' }, ['$.loanAmount', '$.loanTerm']],
  [{ ...issued, loanTerm: 0 }, ['$.loanTerm']],
  [{ ...issued, loanAmount: -1 }, ['$.loanAmount']],
  [{ newStatus: 'inProgress', loanTermInDays: 1.5 }, ['$.loanTermInDays']],
  [{ ...issued, loanAmount: '5', loanTerm: '6' }, ['$.loanAmount', '$.loanTerm']],
  [{ newStatus: 'paid' }, ['$.newStatus']],
  [{}, ['$.newStatus']],
  [{ ...issued, amount: 5 }, ['$["amount"]']],
  [[], ['$']],
  ['{"newStatus":', ['$']],
  ['{"newStatus":"issued","loanAmount":1e999,"loanTerm":1}', ['$.loanAmount']],
])('the status file %j has all its problems', (content, paths) => {
  expect(pathsIn(checkStatus(bytesOf(content)))).toEqual(paths);
});

const offer = { inn: '7707083893', amount: 5_000_000 };

test.each<[unknown, string[]]>([
  [{ offers: [offer, { ...offer, inn: '7728168971' }] }, ['$.offers[1].inn']],
  [{ offers: [{ ...offer, inn: '7707083894' }] }, ['$.offers[0].inn']],
  [{ offers: [{ inn: 7_707_083_893 }, {}, 5] }, ['$.offers[0].inn', '$.offers[1].inn', '$.offers[2].inn']],
  [{ offers: [] }, ['$.offers']],
  [{ offers: [offer], batch: 'x' }, ['$["batch"]']],
  ['inn,offer', ['$']],
])('the offers %j have all their problems', (content, paths) => {
  expect(pathsIn(checkOffers(bytesOf(content), new Set([offer.inn])))).toEqual(paths);
});

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const eventOf = (name: string) => read(`functions/${name}/event.json`);
const states = Object.values(read('exchange.asl.json').States as Record<string, State>);
const inMachine = Object.entries(definitions).filter(([, definition]) => !('noStep' in definition));

test.each(inMachine.map(([name]) => name))('functions/%s/event.json is what the state machine sends', (name) => {
  expectSentMembers(states, name, eventOf(name));
});

test('functions/legacy-intake/event.json is the event of a status file', () => {
  expect(uploadedFile(eventOf('legacy-intake').detail.object.key)).toMatchObject({ what: 'status' });
});

test('functions/legacy-record-end/event.json is the event of a failed execution', () => {
  expectFailedExecution(eventOf('legacy-record-end'));
});
