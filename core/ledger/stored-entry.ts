import { type Knowledge, OPEN, type State } from './knowledge.ts';

/** {@link Knowledge} as attributes of the entry's item. */
export interface StoredKnowledge {
  state: State;
  /** For `open`: how many repeats in a row were refused, and when the first one was. */
  refusals?: number | undefined;
  since?: string | undefined;
  outcome?: Record<string, unknown>;
}

export function stored(knowledge: Knowledge): StoredKnowledge {
  const { state } = knowledge;
  if (state === 'done') return { state, refusals: undefined, since: undefined, outcome: knowledge.outcome };
  if (state !== 'open' || knowledge.since === undefined) return { state, refusals: undefined, since: undefined };
  return { state, refusals: knowledge.refusals, since: knowledge.since };
}

/** @param failure the name of the last attempt's error. */
export function knowledgeIn({
  state,
  refusals,
  since,
  outcome = {},
  failure,
}: StoredKnowledge & { failure?: string }): Knowledge {
  if (state === 'done') return { state, outcome };
  if (state !== 'open') return { state };
  // Without an error the last attempt was killed. It may have succeeded, so earlier refusals do not count.
  const counts = refusals !== undefined && since !== undefined && failure !== undefined;
  return counts ? { state, refusals, since } : OPEN;
}
