import { describe, expect, it } from 'vitest';
import { compileInput } from '../../events/input.ts';
import { compilePattern } from '../../events/pattern.ts';
import type { JsonObject } from '../../protocol/operation.ts';

const event: JsonObject = {
  source: 'aws.s3',
  'detail-type': 'Object Created',
  resources: ['arn:one', 'arn:two'],
  detail: { object: { key: 'orders/Ab-1/order.json', size: 120, tag: null }, reason: 'PutObject' },
};

const ofKey = (...alternatives: unknown[]) => ({ detail: { object: { key: alternatives } } }) as JsonObject;
const ofSize = (...alternatives: unknown[]) => ({ detail: { object: { size: alternatives } } }) as JsonObject;

const key = 'orders/Ab-1/order.json';

describe('compilePattern', () => {
  it.each<[string, boolean, JsonObject]>([
    ['an exact value', true, { source: ['aws.s3'] }],
    ['several fields, one of which differs', false, { source: ['aws.s3'], 'detail-type': ['Object Deleted'] }],
    ['an element of an array in the event', true, { resources: ['arn:two'] }],
    ['a null', true, { detail: { object: { tag: [null] } } }],
    ['a prefix', true, ofKey({ prefix: 'orders/' })],
    ['a suffix', true, ofKey({ suffix: '/order.json' })],
    ['a wildcard', true, ofKey({ wildcard: 'orders/*/order.json' })],
    ['a wildcard that must reach the end', false, ofKey({ wildcard: 'orders/*/order' })],
    ['a wildcard whose dot is a dot', false, ofKey({ wildcard: 'orders/*/orde..json' })],
    ['an escaped asterisk', false, ofKey({ wildcard: 'orders/\\*/order.json' })],
    ['anything but a value', false, ofKey({ 'anything-but': key })],
    ['anything but a number', false, ofSize({ 'anything-but': [0, 120] })],
    ['anything but a prefix', false, ofKey({ 'anything-but': { prefix: 'orders/' } })],
    ['anything but a list of suffixes', false, ofKey({ 'anything-but': { suffix: ['.sig', '.json'] } })],
    ['anything but, on an absent field', false, { detail: { absent: [{ 'anything-but': 'x' }] } }],
    ['a field that does not exist', true, { detail: { absent: [{ exists: false }] } }],
    ['absence, of a field that exists', false, ofKey({ exists: false })],
    ['absence, within an absent object', true, { detail: { absent: { deeper: [{ exists: false }] } } }],
    [
      'one of two patterns inside an object',
      true,
      { detail: { $or: [{ reason: ['x'] }, { object: { size: [120] } }] } },
    ],
    ['neither of two patterns', false, { $or: [{ source: ['x'] }, ofSize(121)] }],
  ])('matches %s: %s', (_name, expected, pattern) => {
    expect(compilePattern(pattern)(event)).toBe(expected);
  });

  it.each<[string, JsonObject]>([
    ['cidr', ofKey({ cidr: '10.0.0.0/8' })],
    ['numeric', ofSize({ numeric: ['>', 1] })],
    ['source', { source: 'aws.s3' }],
    ['at least one field', {}],
  ])('refuses a pattern that it does not support, and names %s', (named, pattern) => {
    expect(() => compilePattern(pattern)).toThrow(named);
  });
});

describe('compileInput', () => {
  it('fills a template inside and outside strings', () => {
    const InputTransformer = {
      InputPathsMap: { key: '$.detail.object.key', size: '$.detail.object.size', all: '$.detail.object' },
      InputTemplate: '{"what":"<key> of <size> bytes","size":<size>,"all":<all>,"key":<key>}',
    };
    expect(compileInput({ InputTransformer })(event)).toEqual({
      what: `${key} of 120 bytes`,
      size: 120,
      all: { key, size: 120, tag: null },
      key,
    });
  });

  it('refuses a placeholder without a path', () => {
    const InputTransformer = { InputPathsMap: {}, InputTemplate: '"<key>"' };
    expect(() => compileInput({ InputTransformer })).toThrow('no path for <key>');
  });
});
