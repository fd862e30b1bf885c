import { type Mutation, mutation } from './mutation.ts';

const [decide, round, settled, withoutRead] = ['decide', 'round', 'settled', 'without-read'].map(
  (name) => `core/reading/${name}.ts`,
) as [string, string, string, string];

/** Mutations of the guarantees of `decide`. Its table must show each: no order of the simulation meets all of these. */
export const decideMutations: readonly Mutation[] = [
  mutation(
    'at most once: a lost accept is sent again at once',
    'table',
    round,
    'if (!isLeft && isNotDone(accept)) {',
    "if (!isLeft && accept !== 'done') {",
  ),
  mutation(
    'at most once: a lost accept that was done is never recorded',
    'table',
    settled,
    "if (!isLeft || !mayBeDone({ state: ledger.accepts[kind] ?? 'none' })) return { settled: [], lines: [] };",
    'if (isLeft || !isLeft) return { settled: [], lines: [] };',
  ),
  mutation(
    'believed reads: they need no settling time',
    'table',
    'core/reading/believed.ts',
    'return now - Date.parse(repeats.since) >= settlingSeconds * 1000;',
    'return true;',
  ),
  mutation(
    'believed reads: what one execution has counted is lost to the next',
    'table',
    decide,
    "if (todo !== 'continue' || reads === 0 || plan.failure) return plan;",
    'if (reads >= 0) return plan;',
  ),
  mutation(
    'signing: the same round goes on although other files are to be signed',
    'table',
    round,
    'const same = asksForOthers(fileIds, round) ? undefined : { ...round, fileIds };',
    'const same = { ...round, fileIds };',
  ),
  mutation(
    'signing: offers after any round of signatures count as signed',
    'table',
    settled,
    "if (round && (isSettled || ledger.accepts.signatures === 'done')) return [];",
    'if (round) return [];',
  ),
  mutation(
    'never early: a wait for people that has ended allows a read',
    'table',
    withoutRead,
    'const isOver = until === cursor.nextReadAt && !known.waitedForPeople;',
    'const isOver = until === cursor.nextReadAt;',
  ),
  mutation(
    'refused confirms: a later decision does not take one back',
    'table',
    settled,
    '({ refused: version }) => version === decision.version',
    '({ refused: version }) => version !== null',
  ),
  mutation(
    'generations: an order moves although only its execution knows of a refused confirm',
    'table',
    withoutRead,
    "if (record.status !== 'CLOSED' && isToMove(record) && !isToFail) return { is: 'moving' };",
    "if (record.status !== 'CLOSED' && isToMove(record)) return { is: 'moving' };",
  ),
  mutation(
    'generations: a late read takes the order back from the operator',
    'table',
    'core/reading/changes.ts',
    'return failure && !isFinal(status) ? waitingFor : waitsFor(status);',
    'return waitsFor(status);',
  ),
  mutation(
    'people: the callbacks of a wait that has ended stay',
    'table',
    decide,
    '...(forget && { forget }),',
    '...(forget && { forget: undefined }),',
  ),
];
