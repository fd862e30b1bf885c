import { type Mutation, mutation } from './mutation.ts';

const [decide, round, settled, withoutRead] = ['decide', 'round', 'settled', 'without-read'].map(
  (name) => `core/reading/${name}.ts`,
) as [string, string, string, string];

const ofTable = (name: string, file: string, text: string, instead: string) =>
  mutation(name, 'table', file, text, instead);

/** Mutations of the guarantees of `decide`. Its table must show each: no order of the simulation meets all of these. */
export const decideMutations: readonly Mutation[] = [
  ofTable(
    'at most once: a lost accept is sent again at once',
    round,
    'if (!isLeft && isNotDone(accept)) {',
    "if (!isLeft && accept !== 'done') {",
  ),
  ofTable(
    'at most once: a lost accept that was done is never recorded',
    settled,
    "if (!isLeft || !mayBeDone({ state: ledger.accepts[kind] ?? 'none' })) return { settled: [], lines: [] };",
    'if (isLeft || !isLeft) return { settled: [], lines: [] };',
  ),
  ofTable(
    'believed reads: they need no settling time',
    'core/reading/believed.ts',
    'return now - Date.parse(repeats.since) >= settlingSeconds * 1000;',
    'return true;',
  ),
  ofTable(
    'believed reads: what one execution has counted is lost to the next',
    decide,
    "if (todo !== 'continue' || reads === 0 || plan.failure) return plan;",
    'if (reads >= 0) return plan;',
  ),
  ofTable(
    'signing: the same round goes on although other files are to be signed',
    round,
    'const same = asksForOthers(fileIds, round) ? undefined : { ...round, fileIds };',
    'const same = { ...round, fileIds };',
  ),
  ofTable(
    'signing: offers after any round of signatures count as signed',
    settled,
    "if (round && (isSettled || ledger.accepts.signatures === 'done')) return [];",
    'if (round) return [];',
  ),
  ofTable(
    'never early: a wait for people that has ended allows a read',
    withoutRead,
    'const isOver = until === cursor.nextReadAt && !known.waitedForPeople;',
    'const isOver = until === cursor.nextReadAt;',
  ),
  ofTable(
    'refused confirms: a later decision does not take one back',
    settled,
    '({ refused: version }) => version === decision.version',
    '({ refused: version }) => version !== null',
  ),
  ofTable(
    'generations: an order moves although only its execution knows of a refused confirm',
    withoutRead,
    "if (record.status !== 'CLOSED' && isToMove(record) && !isToFail) return { is: 'moving' };",
    "if (record.status !== 'CLOSED' && isToMove(record)) return { is: 'moving' };",
  ),
  ofTable(
    'generations: a late read takes the order back from the operator',
    'core/reading/changes.ts',
    'return failure && !isFinal(status) ? waitingFor : waitsFor(status);',
    'return waitsFor(status);',
  ),
  ofTable(
    'people: the callbacks of a wait that has ended stay',
    decide,
    '...(forget && { forget }),',
    '...(forget && { forget: undefined }),',
  ),
];
