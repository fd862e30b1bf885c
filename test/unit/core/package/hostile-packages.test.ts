import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkPackage } from '../../../../core/package/package-schema.ts';
import { holds } from '../../../helpers/any-input.ts';
import { PACKAGE_DEFAULTS } from '../../../helpers/packages.ts';

const MIB = 1024 * 1024;
const DOCUMENT = '{"file":"documents/a.pdf","entityId":"e","sourceEntityId":"s","docType":"t"}';

const list = (part: (position: number) => string, bytes: number) =>
  Array.from({ length: Math.floor(bytes / (part(0).length + 1)) }, (_, position) => part(position)).join(',');
const nested = (open: string, close: string, bytes: number) => {
  const count = Math.floor(bytes / (open.length + close.length));
  return open.repeat(count) + close.repeat(count);
};

const parts: ((bytes: number) => string)[] = [
  (bytes) => `"order":[${list(() => '{}', bytes)}]`,
  (bytes) => `"order":{"a":${nested('[', ']', bytes)}}`,
  (bytes) => `"order":{${list((position) => `"k${position}":1`, bytes)}}`,
  (bytes) => `"order":{${list(() => '"k":1', bytes)}}`,
  (bytes) => `"order":{"a":${'9'.repeat(bytes)}}`,
  (bytes) => `"documents":[${list(() => DOCUMENT, bytes)}]`,
  (bytes) => `"documents":[{${list((position) => `"\\u202e${position}":1`, bytes)}}]`,
  (bytes) => list((position) => `"k${position}":null`, bytes),
  ...['(', 'a.', '-', '[', '1?1:', 'function($a){', '/(a+)+', '<(nsb)', '{"a":'].map(
    (part) => (bytes: number) =>
      `"offers":{"rule":${JSON.stringify(part.repeat(Math.min(bytes, 20_000) / part.length))}}`,
  ),
  () => `"documents":[${DOCUMENT}]`,
  () => '"__proto__":{"offers":{"choose":"rule"}}',
];
const hostile = fc
  .record({
    chosen: fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 4 }),
    digits: fc.integer({ min: 1, max: 20 }),
    end: fc.constantFrom('}', '', '}}', '}\u0000'),
  })
  .map(({ chosen, digits, end }) => `{${chosen.map((part) => part(2 ** digits / chosen.length)).join(',')}${end}`);

test.each([
  ['deep', nested('[', ']', 1_000), 'is nested deeper than '],
  ['many', `[${list(() => '0', 200_002)}]`, 'has more than 100000 values.'],
])('values that are too %s are refused before they are parsed', (_what, value, problem) => {
  const { problems } = checkPackage(Buffer.from(`{"order":{"a":${value}}}`), PACKAGE_DEFAULTS);
  expect(problems).toMatchObject([{ path: '$', problem: expect.stringContaining(problem) }]);
});

test('hostile packages are answered quickly, and the answer is small', () =>
  holds(hostile, 50, (text) => {
    const before = process.memoryUsage().heapUsed;
    const { problems, content } = checkPackage(Buffer.from(text), PACKAGE_DEFAULTS);
    expect(content === undefined).toBe(problems.length > 0);
    for (const { path, problem, fix } of problems) expect([path, problem, fix]).not.toContain('');
    expect(JSON.stringify(problems).length).toBeLessThan(100_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(128 * MIB);
  }));
