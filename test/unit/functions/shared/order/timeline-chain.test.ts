import { expect, test } from 'vitest';
import { type ChainedLine, checkChain, lineHash } from '../../../../../functions/shared/order/timeline-chain.ts';

type Line = ChainedLine & { what: string };

/** A chained line after the one before it. */
function chained(item: string, before: Line | undefined, what = `Status of ${item}`): Line {
  const line: Line = { item, what, before: before?.hash ?? '' };
  return { ...line, hash: lineHash(line) };
}

const old: Line = { item: 'event#0', what: 'Package accepted' };
const first = chained('event#1', undefined);
const beside: Line = { item: 'event#2', what: 'A signature arrived' };
const second = chained('event#3', first);
const third = chained('event#4', second);
const lines = [old, first, beside, second, third];
const whole = { chained: 3, from: 1, changed: [], missingBefore: undefined };

test.each<[string, Line[], Line | undefined, object]>([
  ['a whole chain, after lines of an earlier release', lines, third, whole],
  ['an order of a release without a chain', [old, beside], undefined, { ...whole, chained: 0, from: undefined }],
  ['a chained line removed', [old, first, beside, third], third, { ...whole, chained: 2, missingBefore: 3 }],
  [
    'the first chained line removed',
    [old, beside, second, third],
    third,
    { ...whole, chained: 2, from: 2, missingBefore: 2 },
  ],
  ['the last line removed', [old, first, beside, second], third, { ...whole, chained: 2, missingBefore: 4 }],
  [
    'a line changed',
    [old, first, beside, { ...second, what: 'Status CLOSED' }, third],
    third,
    { ...whole, changed: [3] },
  ],
  [
    'a line changed with its hash',
    [old, first, beside, chained('event#3', first, 'Status CLOSED'), third],
    third,
    { ...whole, missingBefore: 4 },
  ],
  [
    'a line of a step that was interrupted, beside the chain',
    [...lines, chained('event#5', third)],
    third,
    { ...whole, chained: 4 },
  ],
  ['lines of a release without a chain in between', [...lines.slice(0, 4), old, third], third, whole],
  [
    'the hashes of a line removed',
    [old, first, beside, { item: 'event#3', what: second.what }, third],
    third,
    { ...whole, chained: 2, missingBefore: 4 },
  ],
])('the chain of a timeline: %s', (_what, timeline, last, found) => {
  expect(checkChain(timeline, last?.hash as string | undefined)).toEqual(found);
});
