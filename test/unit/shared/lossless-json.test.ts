import { expect, test } from 'vitest';
import { memberText } from '../../../functions/shared/lossless-json.ts';

test('numbers keep their text', () => {
  const text = '{"order":{"amount":10.50,"account":40702810900000012345,"rate":1E-7,"big":1e400},"x":1}';
  expect(memberText(text, 'order')).toBe('{"amount":10.50,"account":40702810900000012345,"rate":1E-7,"big":1e400}');
});

test('a member that is not there, not inherited, and not in a list', () => {
  expect(memberText('{"a":1}', 'order')).toBeUndefined();
  expect(memberText('{}', 'toString')).toBeUndefined();
  expect(memberText('null', 'order')).toBeUndefined();
});

test('__proto__ and Cyrillic pass through', () => {
  expect(memberText('{"order":{"__proto__":{"a":1},"имя":"\\u0418ван"}}', 'order')).toBe(
    '{"__proto__":{"a":1},"имя":"Иван"}',
  );
});
