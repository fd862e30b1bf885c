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
