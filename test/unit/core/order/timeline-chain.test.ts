import { expect, test } from 'vitest';
import { checkChain, coveredBy, lineHash, type TimelineLine } from '../../../../core/order/timeline-chain.ts';

type Line = TimelineLine & { what: string };

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
const whole = { chained: 3, from: 1, changed: [], missingBefore: undefined, removed: [] };

test.each<[string, Line[], Line | undefined, object]>([
  ['a whole chain, after lines of an earlier release', lines, third, whole],
  ['an order of a release without a chain', [old, beside], undefined, { ...whole, chained: 0, from: undefined }],
  ['the head removed from the order', lines, undefined, { ...whole, missingBefore: 5 }],
  ['a first status whose head was not written', [old, first], undefined, { ...whole, chained: 1 }],
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

/** A timeline as functions write it: lines with `what` alone beside the chain, and statuses that fix them. */
function written(...whats: string[]): { lines: Line[]; head: string } {
  const lines: Line[] = [];
  let head = '';
  for (const [count, what] of whats.entries()) {
    const line: Line = { item: `event#2026-01-01T00:00:0${count}.000Z#${count}`, what };
    if (!what.startsWith('Status')) lines.push(line);
    else {
      const next = { ...line, before: head, covers: coveredBy(lines, head) };
      head = lineHash(next);
      lines.push({ ...next, hash: head });
    }
  }
  return { lines, head };
}

const WHATS = ['Package accepted', 'Order created', 'Status A', 'Sent again', 'Status B', 'A retry'];

test('a status fixes the lines since the status before it, each once', () => {
  const { lines, head } = written(...WHATS);
  expect(lines.map(({ covers = '' }) => String(covers).split(' ').filter(Boolean).length)).toEqual([0, 0, 2, 0, 1, 0]);
  const whole = { chained: 5, from: 0, changed: [], missingBefore: undefined, removed: [] };
  expect(checkChain(lines, head)).toEqual(whole);
});

test.each([0, 1, 3])('line %i, which is no status, is named when it is taken out or changed', (position) => {
  const { lines, head } = written(...WHATS);
  const without = lines.filter((_, at) => at !== position);
  expect(checkChain(without, head)).toMatchObject({ removed: [`2026-01-01T00:00:0${position}.000Z`], changed: [] });
  const other = lines.map((line, at) => (at === position ? { ...line, what: 'Other' } : line));
  expect(checkChain(other, head)).toMatchObject({ removed: [], changed: [position] });
});

test('a status whose step was interrupted is fixed by the next one, with what it fixed', () => {
  const { lines } = written('Package accepted', 'Status A');
  // The head was never written, so the next status begins the chain.
  const covers = coveredBy(lines, '');
  expect(covers.split(' ').map((claim) => claim.split('=')[0])).toEqual(lines.map(({ item }) => item));
});

test('a line fixes at most 1,000 others, and the next one the rest', () => {
  const lines = Array.from({ length: 1_500 }, (_, at) => ({ item: `event#${String(at).padStart(4, '0')}#x` }));
  const covers = coveredBy(lines, '');
  const line = { item: 'event#2000#x', before: '', covers };
  const hash = lineHash(line);
  expect(covers.split(' ')).toHaveLength(1_000);
  expect(coveredBy([...lines, { ...line, hash }], hash).split(' ')).toHaveLength(500);
});
