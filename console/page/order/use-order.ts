import { useEffect, useState } from 'preact/hooks';
import type { OrderFacts, OrderMessage } from '../../api.ts';
import { setClock } from '../state/clock.ts';

/** An order as it is now, or why it cannot be shown. What was shown stays while the stage cannot be read. */
export interface FollowedOrder {
  facts?: OrderFacts;
  failed?: string;
}

/** Follows an order. */
export function useOrder(orderRef: string): FollowedOrder {
  const [order, setOrder] = useState<FollowedOrder>({});
  useEffect(() => {
    setOrder({});
    const source = new EventSource(`/api/orders/${encodeURIComponent(orderRef)}/live`);
    source.onmessage = ({ data }) => {
      const message = JSON.parse(data as string) as OrderMessage;
      if ('now' in message) setClock(message.now);
      setOrder((known) => taken(known, message));
    };
    return () => source.close();
  }, [orderRef]);
  return order;
}

function taken({ facts }: FollowedOrder, message: OrderMessage): FollowedOrder {
  if ('failed' in message) return { ...(facts && { facts }), failed: message.failed };
  if ('all' in message) return { facts: message.all };
  const next = { ...facts, ...message.changed } as Record<string, unknown>;
  for (const [name, value] of Object.entries(message.changed)) if (value === null) delete next[name];
  return { facts: next as OrderFacts };
}
