import { mayBeDone } from '../ledger/knowledge.ts';
import { hasMovedOn } from '../offers/proven-confirms.ts';
import type { Decision } from '../order/decision-states.ts';
import { acceptName, confirmName } from '../order/operation-names.ts';
import type { OrderItem } from '../order/order-item.ts';
import type { Line } from '../order/timeline.ts';
import { STATUS_LINE } from '../order/what-happened.ts';
import type { Order } from '../order-service/order-service-client.ts';
import type { Facts, Settled, Step } from './plan.ts';
import { roundKindIn } from './round.ts';
import type { ReadingRules } from './rules.ts';

interface Found {
  settled: Settled[];
  lines: Line[];
}

export function settledConfirms({ proven }: Pick<Facts, 'proven'>): Found {
  const done = proven
    .filter(({ confirm }) => confirm === 'done')
    .map(({ choice: { offerId, code } }) => ({ offerId, code }));
  const notDone = proven.filter(({ confirm }) => confirm !== 'done');
  return {
    settled: [
      ...done.map((outcome) => ({ name: confirmName(outcome.offerId), outcome })),
      ...notDone.map(({ choice }) => ({ name: confirmName(choice.offerId) })),
    ],
    lines: done.map((facts) => ({ what: 'Found an offer confirmed', facts })),
  };
}

/**
 * The outcome of the accept of the round that the order was in. It was done if the order has left the round: it has another status, or
 * the service asks for the next round. It was not done if a believed read shows the round as it was.
 */
export function settledAccept({ record, order, ledger }: Facts, step: Step): Found {
  const kind = roundKindIn(record.status);
  const round = kind && record.rounds?.[kind];
  if (!round) return { settled: [], lines: [] };
  const name = acceptName(kind, round.number);
  if (step.isNotAccepted) return { settled: [{ name }], lines: [] };
  const isLeft = order.status !== record.status || (step.round?.number ?? 0) > round.number;
  if (!isLeft || !mayBeDone({ state: ledger.accepts[kind] ?? 'none' })) return { settled: [], lines: [] };
  const facts = { round: round.number };
  return { settled: [{ name, outcome: facts }], lines: [{ what: `Found ${kind} accepted`, facts }] };
}

/** An order is CLOSED after its offers (specification, section 3), even if no read found them, or a bank closes it earlier. */
const hasHadOffers = (status: string) => status.startsWith('OFFERS_') || status === 'CLOSED';

/** Whether this is the first read of an order that has, or had, offers. */
export function reachesOffers(record: OrderItem, { status }: Pick<Order, 'status'>): boolean {
  return hasHadOffers(status) && !hasHadOffers(record.status) && !record.unsigned;
}

/** Shows operators that an order has, or may have had, offers although no accept of signatures is known to be done. */
export function unsignedLines({ record, order, ledger }: Facts, settled: readonly Settled[]): Line[] {
  if (!reachesOffers(record, order)) return [];
  const round = record.rounds?.signatures;
  const isSettled = settled.some(
    ({ name, outcome }) => outcome && round && name === acceptName('signatures', round.number),
  );
  if (round && (isSettled || ledger.accepts.signatures === 'done')) return [];
  const what = order.status === 'CLOSED' ? 'Closed without signatures' : 'Reached its offers without signatures';
  return [{ what, facts: { asked: round ? 'yes' : 'no' } }];
}

/** Counts confirmed offers that we did not choose. Happens after the record was restored. */
function unknownConfirms({ offers = [] }: Order, decision: Decision | undefined, { confirmedStatus }: ReadingRules) {
  const isChosen = (offerId: string) => decision?.choices.some(({ choice }) => choice.offerId === offerId);
  return offers.filter((offer) => offer?.status === confirmedStatus && !isChosen(offer.offerId)).length;
}

/** Timeline lines for operators, besides those of outcomes. */
export function linesOf({ record, order, decision, wait, rules }: Facts): Line[] {
  const lines: Line[] = [];
  const confirms = decision?.choices.filter(({ confirm }) => confirm === 'open').length ?? 0;
  if (order.status === 'CLOSED' && record.status !== 'CLOSED' && confirms > 0)
    lines.push({ what: 'Closed with confirms of unknown outcome: ask the bank', facts: { confirms } });
  const unknown = unknownConfirms(order, decision, rules);
  if (unknown > 0 && hasMovedOn(order) && !hasMovedOn(record))
    lines.push({ what: 'The service has confirmed offers that the record does not know', facts: { offers: unknown } });
  if (order.status !== record.status) lines.push({ what: `${STATUS_LINE}${order.status}` });
  const { pollAfterSeconds, nextReadAt } = wait;
  if (pollAfterSeconds > rules.longSeconds)
    lines.push({ what: 'The order service asks for a long wait', facts: { nextReadAt } });
  return lines;
}
