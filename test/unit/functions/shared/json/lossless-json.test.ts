import { expect, test } from 'vitest';
import { memberText } from '../../../../../functions/shared/json/lossless-json.ts';

test('numbers keep their text', () => {
  const text = '{"order":{"amount":10.50,"account":40702810900000012345,"rate":1E-7,"big":1e400},"x":1}';
  expect(memberText(text, 'order')).toBe('{"amount":10.50,"account":40702810900000012345,"rate":1E-7,"big":1e400}');
});

test('a member that is not there, not inherited, and not in a list', () => {
  expect(memberText('{"a":1}', 'order')).toBeUndefined();
  expect(memberText('{}', 'toString')).toBeUndefined();
  expect(memberText('null', 'order')).toBeUndefined();
});

test('__proto__, escapes and blanks pass through as they stand', () => {
  const order = '{ "__proto__" : {"a":1} ,\n "имя":"\\u0418ван", "path":"a\\/b" }';
  expect(memberText(`{"order": ${order} }`, 'order')).toBe(order);
});

test.each(['{"b":1,"2":0,"1":0}', '[1, [2, {"]": "}"}]]', '"a \\" quote \\\\"', '-1.50E+2', 'null', '{}'])(
  'the value %s is found between others, to the letter',
  (value) => {
    expect(memberText(`{"before":[{"order":1}],"order":${value},"after":"x"}`, 'order')).toBe(value);
    expect(memberText(` {\r\n"order" :\t${value}\n} `, 'order')).toBe(value);
  },
);

test('of a member that is written twice the last counts, as for JSON.parse, however its name is written', () => {
  expect(memberText('{"order":{"a":1},"\\u006frder":{"a":2}}', 'order')).toBe('{"a":2}');
});

test('a text that is no JSON is refused', () => {
  expect(() => memberText('{"order":{"a":1}', 'order')).toThrow(SyntaxError);
});

test('500,000 levels and 5 MB of escaped quotes take no longer than their length', () => {
  const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
  const quotes = `"${'\\"'.repeat(2_500_000)}"`;
  const begun = performance.now();
  expect(memberText(`{"deep":${deep},"quotes":${quotes}}`, 'deep')?.length).toBe(1_000_000);
  expect(memberText(`{"deep":${deep},"quotes":${quotes}}`, 'quotes')?.length).toBe(5_000_002);
  expect(performance.now() - begun).toBeLessThan(2_000);
});
