import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NextReads, OrderRow } from '../../api.ts';
import { call } from '../state/call.ts';

/** When orders are read next, for rows that were seen, with the change of the order after which it was asked. */
export const nextReads = signal<ReadonlyMap<string, { changedAt: string; at: string | null }>>(new Map());

/** Rows fly past while somebody scrolls. Milliseconds. */
const STILL = 250;

/** The list does not have these times: they are asked for rows that are looked at, if the orders wait for the service. */
export function useNextReads(rows: OrderRow[]): void {
  const wanted = rows.filter(
    ({ orderRef, waitingFor, changedAt }) =>
      waitingFor === 'service' && nextReads.value.get(orderRef)?.changedAt !== changedAt,
  );
  useEffect(() => {
    if (wanted.length === 0) return undefined;
    const timer = setTimeout(async () => {
      // The column stays empty without an answer: the notice at the top says what is wrong.
      const answer = await call<NextReads>('/api/next-reads', {
        orderRefs: wanted.map(({ orderRef }) => orderRef),
      }).catch(() => undefined);
      if (!answer) return;
      const known = wanted.map(
        ({ orderRef, changedAt }) => [orderRef, { changedAt, at: answer[orderRef] ?? null }] as const,
      );
      nextReads.value = new Map([...nextReads.value, ...known]);
    }, STILL);
    return () => clearTimeout(timer);
  }, [wanted.map(({ orderRef, changedAt }) => `${orderRef} ${changedAt}`).join()]);
}
