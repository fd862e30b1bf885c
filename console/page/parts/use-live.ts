import { useEffect, useState } from 'preact/hooks';
import type { FactsMessage } from '../../api.ts';
import { setClock } from '../state/clock.ts';
import { follow } from '../state/follow.ts';

/** Facts as they are now, or why they cannot be shown. What was shown stays while the stage cannot be read. */
export interface Followed<Facts extends object> {
  facts?: Facts;
  failed?: string;
}

/** Follows facts of the console's server. */
export function useLive<Facts extends object>(path: string): Followed<Facts> {
  const [state, setState] = useState<Followed<Facts>>({});
  useEffect(() => {
    setState({});
    return follow<FactsMessage<Facts>>(path, (message) => {
      if ('now' in message) setClock(message.now);
      setState((known) => taken(known, message));
    });
  }, [path]);
  return state;
}

function taken<Facts extends object>({ facts }: Followed<Facts>, message: FactsMessage<Facts>): Followed<Facts> {
  if ('failed' in message) return { ...(facts && { facts }), failed: message.failed };
  if ('all' in message) return { facts: message.all };
  const next = { ...facts, ...message.changed } as Record<string, unknown>;
  for (const [name, value] of Object.entries(message.changed)) if (value === null) delete next[name];
  return { facts: next as Facts };
}
