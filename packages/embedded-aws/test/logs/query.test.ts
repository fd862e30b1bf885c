import { describe, expect, test } from 'vitest';
import { fieldsOf, parseQuery } from '../../logs/query.ts';

const finds = (condition: string, record: Record<string, string>) =>
  parseQuery(`filter ${condition}`).matches({ ref: 'a.1', kind: 'Started', many: '10', ...record });

describe('a query of the embedded CloudWatch Logs', () => {
  test.each([
    ['ref = "a.1"', true],
    ['ref = "a"', false],
    ['other = "a.1"', false],
    ['kind like /^Start|End$/', true],
    ['kind like /tart$/', false],
    ['other like /./', false],
    ['many >= 10', true],
    ['many >= 11', false],
    ['other >= 0', false],
    ['ref = "b" or kind = "Started"', true],
    ['ref = "a.1" or ref = "b" and kind = "Ended"', true],
    ['(ref = "a.1" or ref = "b") and kind = "Ended"', false],
  ])('has the filter %s, which finds the line or not: %s', (condition, found) => {
    expect(finds(condition, {})).toBe(found);
  });

  test('joins its filters with and, and reads fields, sort and limit', () => {
    const query = parseQuery(
      'fields @timestamp, details.name | filter ref = "a.1" | filter kind = "b" | sort @timestamp asc | limit 7',
    );
    expect(query).toMatchObject({
      fields: ['@timestamp', 'details.name'],
      sort: { field: '@timestamp', descending: false },
      limit: 7,
    });
    expect(query.matches({ ref: 'a.1', kind: 'b' })).toBe(true);
    expect(query.matches({ ref: 'a.1', kind: 'c' })).toBe(false);
  });

  test.each([
    'stats count(*) by bin(5m)',
    'fields @message | parse @message "a"',
    'filter ref != "a"',
    'filter ref = a',
    'filter (ref = "a"',
    'filter ref = "a" ref = "b"',
    'limit 10001',
    'fields',
    '',
  ])('is refused when it is %j', (text) => {
    expect(() => parseQuery(text)).toThrow(
      /^The embedded AWS supports only the commands fields, filter .* It cannot read: /,
    );
  });
});

test('the members of a message that is a JSON object are fields, and any other message has none', () => {
  expect(fieldsOf('{"a":1,"b":{"c":"d","e":null},"f":[1]}')).toEqual({ a: '1', 'b.c': 'd', f: '[1]' });
  expect(fieldsOf('REPORT RequestId: 1')).toEqual({});
});
