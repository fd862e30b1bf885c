import { type Knowledge, NONE, OPEN, UNLIKELY } from './knowledge.ts';

/**
 * Knowledge as the table holds it: in the words of the first release, so that a release reads what the one before and the one after it
 * have written, and a way back is open at any time. `intended` is `open`; `not-done` is `none` where it is proven, and else `unlikely`.
 */
export interface StoredKnowledge {
  state: 'intended' | 'not-done' | 'done';
  proven?: true | undefined;
  /** Of `intended`: how many repeats in a row were refused, and since when. */
  doubts?: { refusals: number; since: string } | undefined;
  outcome?: Record<string, unknown>;
}

export function stored(knowledge: Knowledge): StoredKnowledge {
  const nothingElse = { proven: undefined, doubts: undefined };
  switch (knowledge.state) {
    case 'none':
      return { ...nothingElse, state: 'not-done', proven: true };
    case 'unlikely':
      return { ...nothingElse, state: 'not-done' };
    case 'done':
      return { ...nothingElse, state: 'done', outcome: knowledge.outcome };
    case 'open': {
      const { refusals, since } = knowledge;
      return { state: 'intended', proven: undefined, doubts: since === undefined ? undefined : { refusals, since } };
    }
  }
}

/** @param failure the name of the last attempt's failure: before `proven` was kept, it alone told that an operation was refused. */
export function knowledgeIn({
  state,
  proven,
  doubts,
  outcome = {},
  failure,
}: StoredKnowledge & { failure?: string }): Knowledge {
  if (state === 'done') return { state, outcome };
  if (state === 'not-done') return proven || failure === 'Rejected' ? NONE : UNLIKELY;
  // Without a failure the last attempt was killed: it may have come through itself, whatever was refused before it.
  return doubts && failure !== undefined ? { state: 'open', ...doubts } : OPEN;
}
