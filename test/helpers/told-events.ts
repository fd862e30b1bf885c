import type { Change } from '@business-loan-orders/embedded-aws';
import type { World } from './world.ts';

export interface ToldEvent {
  type: string;
  source: string;
  time: string;
  detail: Record<string, unknown> & { id: string; orderRef?: string; sequence?: number };
}

export function listenToEvents({ aws, outputs }: World): ToldEvent[] {
  const told: ToldEvent[] = [];
  aws.watch((change) => {
    const event = toldEvent(change, outputs.EventBus);
    if (event) told.push(event);
  });
  return told;
}

function toldEvent(change: Change, bus: string | undefined): ToldEvent | undefined {
  if (change.type !== 'event' || change.bus !== bus) return undefined;
  const { 'detail-type': type, source, time, detail } = change.event;
  return { type: String(type), source: String(source), time: String(time), detail: detail as ToldEvent['detail'] };
}

/** The events of an order, each by its type and the facts that say what has changed. */
export function linesOf(told: readonly ToldEvent[], orderRef: string): string[] {
  return told
    .filter(({ detail }) => detail.orderRef === orderRef)
    .map(({ type, detail }) =>
      [detail.sequence, type, detail.status ?? detail.end ?? detail.error].filter(Boolean).join(' '),
    );
}
