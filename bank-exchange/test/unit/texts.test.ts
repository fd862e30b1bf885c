import { expect, test } from 'vitest';
import { elementTexts } from '../../core/element-texts.ts';
import { innKind, innProblem } from '../../core/inn.ts';
import { nextPage } from '../../core/next-page.ts';
import { uploadedFile } from '../../core/upload.ts';

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
  expect(innKind(inn)).toBe(inn.length === 10 ? 'organization' : 'person');
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
const rows = (count: number, first = 'b') => [
  first,
  ...Array.from({ length: count - 1 }, (_row, number) => `${number}`),
];

test('a full page is followed by an overlapping page, and a short page ends the list', () => {
  expect(nextPage({ ...page, seen: rows(100) })).toEqual({ skip: 180, isLast: false, joins: true });
  expect(nextPage({ ...page, seen: rows(99) })).toMatchObject({ isLast: true });
  expect(nextPage({ ...page, skip: 0, before: undefined, seen: [] })).toMatchObject({ isLast: true });
});

test('a short page without any overlap does not end the list, and the next page begins further back', () => {
  expect(nextPage({ ...page, seen: rows(5, 'x') })).toEqual({ skip: 0, isLast: false, joins: false });
  expect(nextPage({ ...page, skip: 180, seen: [] })).toEqual({ skip: 90, isLast: false, joins: false });
});

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
