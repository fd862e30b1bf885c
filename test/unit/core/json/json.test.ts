import { expect, test } from 'vitest';
import { parseJson } from '../../../../core/json/json-problems.ts';
import { memberText } from '../../../../core/json/lossless-json.ts';

/** Linear work takes milliseconds; quadratic work takes longer than a test may. */
test.each([
  ['cut inside a string full of escaped quotes', `{"note":"${'\\"'.repeat(100_000)}`],
  ['cut inside a string full of backslashes', `{"note":"${'\\'.repeat(200_001)}`],
  ['of quotes alone', '"'.repeat(200_001)],
  ['of opening brackets only', '['.repeat(200_000)],
  ['of brackets inside a string that never ends', `"${'[{'.repeat(100_000)}`],
])('JSON %s is refused in linear time', (_name, text) => {
  const parsed = parseJson('decision.json', Buffer.from(text));
  expect(parsed).toMatchObject({ problem: { path: '$' } });
});

test.each([
  [100, true, '['.repeat(100) + ']'.repeat(100)],
  [101, false, '['.repeat(101) + ']'.repeat(101)],
  [2, true, `{"a":"${'['.repeat(101)}","b":[]}`],
  [2, true, `{"a\\"${'['.repeat(101)}":["\\\\"]}`],
  [102, false, `{"\\\\":${'['.repeat(101)}${']'.repeat(101)}}`],
])('JSON with %i levels, not counting brackets in strings, is accepted: %s', (_levels, isAccepted, text) => {
  expect('value' in parseJson('order.json', Buffer.from(text))).toBe(isAccepted);
});

test('memberText keeps the text of numbers', () => {
  const text = '{"order":{"amount":10.50,"account":40702810900000012345,"rate":1E-7,"big":1e400},"x":1}';
  expect(memberText(text, 'order')).toBe('{"amount":10.50,"account":40702810900000012345,"rate":1E-7,"big":1e400}');
});

test('memberText finds no property that is missing, inherited or in a list', () => {
  expect(memberText('{"a":1}', 'order')).toBeUndefined();
  expect(memberText('{}', 'toString')).toBeUndefined();
  expect(memberText('null', 'order')).toBeUndefined();
});

test('memberText keeps __proto__, escapes and white space unchanged', () => {
  const order = '{ "__proto__" : {"a":1} ,\n "имя":"\\u0418ван", "path":"a\\/b" }';
  expect(memberText(`{"order": ${order} }`, 'order')).toBe(order);
});

test.each(['{"b":1,"2":0,"1":0}', '[1, [2, {"]": "}"}]]', '"a \\" quote \\\\"', '-1.50E+2', 'null', '{}'])(
  'memberText finds the value %s between others, byte for byte',
  (value) => {
    expect(memberText(`{"before":[{"order":1}],"order":${value},"after":"x"}`, 'order')).toBe(value);
    expect(memberText(` {\r\n"order" :\t${value}\n} `, 'order')).toBe(value);
  },
);

test('if a property is duplicated, the last one wins as in JSON.parse, however its name is escaped', () => {
  expect(memberText('{"order":{"a":1},"\\u006frder":{"a":2}}', 'order')).toBe('{"a":2}');
});

test('memberText refuses text that is not JSON', () => {
  expect(() => memberText('{"order":{"a":1}', 'order')).toThrow(SyntaxError);
});

// Quadratic work would take longer than a test may.
test('memberText takes linear time for 200,000 levels and for 2 MB of escaped quotes', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const quotes = `"${'\\"'.repeat(1_000_000)}"`;
  expect(memberText(`{"deep":${deep},"quotes":${quotes}}`, 'deep')?.length).toBe(400_000);
  expect(memberText(`{"deep":${deep},"quotes":${quotes}}`, 'quotes')?.length).toBe(2_000_002);
});
