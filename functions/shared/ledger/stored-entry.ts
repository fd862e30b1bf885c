import { type Knowledge, NONE, OPEN, UNLIKELY } from './knowledge.ts';

/**
 * {@link Knowledge} as it is stored in the table. The names are those of an earlier version, so that both versions can read
 * each other's records. `intended` means `open`. `not-done` means `none` if it is proven, otherwise `unlikely`.
 */
export interface StoredKnowledge {
  state: 'intended' | 'not-done' | 'done';
  proven?: true | undefined;
  /** For `intended`: how many repeats in a row were refused, and when the first one was. */
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

/** @param failure the name of the last attempt's error. Old records show only by it that an operation was refused. */
export function knowledgeIn({
  state,
  proven,
  doubts,
  outcome = {},
  failure,
}: StoredKnowledge & { failure?: string }): Knowledge {
  if (state === 'done') return { state, outcome };
  if (state === 'not-done') return proven || failure === 'Rejected' ? NONE : UNLIKELY;
  // Without an error the last attempt was killed. It may have succeeded, so earlier refusals do not count.
  return doubts && failure !== undefined ? { state: 'open', ...doubts } : OPEN;
}
