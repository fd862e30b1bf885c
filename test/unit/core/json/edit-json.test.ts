import { expect, test } from 'vitest';
import { lineOf, placeOf, stepsOf, treeOf, withTyped, withValue } from '../../../../core/json/edit-json.ts';

test.each([
  ['[100,200]', 1, [100]],
  ['["a","b"]', 1, ['a']],
  ['[{"file":"a"},{"file":"b"}]', 1, [{ file: 'a' }]],
  ['[1]', 0, []],
])('of %s, element %i can be removed', (list, at, left) => {
  expect(JSON.parse(withValue(`{"list":${list}}`, ['list', at], undefined))).toEqual({ list: left });
});

test('a number stays as it is typed, and the rest to the digit', () => {
  const text = '{"order":{"rate":1.10,"sum":12345678901234567890}}';
  expect(withTyped(text, ['order', 'rate'], '1 234,50', true)).toBe(text.replace('1.10', '1234.50'));
  for (const typed of ['much', '500,000', '1,000,000.50'])
    expect(JSON.parse(withTyped(text, ['order', 'rate'], typed, true))).toMatchObject({ order: { rate: typed } });
});

test('what is emptied is removed from an object, and stays in an array', () => {
  expect(JSON.parse(withTyped('{"a":"x","b":1}', ['a'], '', false))).toEqual({ b: 1 });
  expect(JSON.parse(withTyped('{"tags":["a","b"]}', ['tags', 0], '', false))).toEqual({ tags: ['', 'b'] });
});

test('a value is written into what was null', () => {
  const written = withTyped('{"order":{"company":null}}', ['order', 'company', 'name'], 'Acme', false);
  expect(JSON.parse(written)).toEqual({ order: { company: { name: 'Acme' } } });
  expect(JSON.parse(withValue('{"documents":null}', ['documents', 0], { file: 'a' }))).toEqual({
    documents: [{ file: 'a' }],
  });
});

test('the place of an issue is a pointer or a path that the file has, and nothing else', () => {
  const text = '{\n"order": {\n"company": { "inn": 1 } },\n"documents": [{}]\n}';
  const tree = treeOf(text) ?? expect.fail();
  for (const path of ['/order/company/inn', '$.order.company.inn', 'company.inn', '/company/inn'])
    expect(placeOf({ field: path }, tree)).toEqual(['order', 'company', 'inn']);
  expect(placeOf({ pointer: '/documents/0' }, tree)).toEqual(['documents', 0]);
  for (const path of ['$["a\\x"]', 'CHARTER', '', '/company/none']) expect(placeOf({ path }, tree)).toBeUndefined();
  expect(lineOf(text, tree, stepsOf('$.order.company.inn'))).toBe(3);
  expect(lineOf(text, tree, stepsOf('$.documents[0].file'))).toBe(4);
});

test('a text that is too deep or too large for a form, or no object, has no tree', () => {
  for (const text of [
    `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`,
    `{"a":[${'1,'.repeat(6_000)}1]}`,
    '[]',
    '{"a":}',
  ])
    expect(treeOf(text)).toBeUndefined();
});
