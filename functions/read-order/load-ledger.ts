import { hasMovedOn } from '../../core/offers/proven-confirms.ts';
import { acceptName } from '../../core/order/operation-names.ts';
import type { RoundKind } from '../../core/order/order-item.ts';
import { findOperation } from '../../core/order/order-ledger.ts';
import { findDecision } from '../../core/people/decision-states.ts';
import { confirmedDecision } from '../../core/reading/cursor.ts';
import { isQuiet } from '../../core/reading/decide.ts';
import type { Ledger, Read, View } from '../../core/reading/plan.ts';
import { roundKindIn } from '../../core/reading/round.ts';
import type { ReadingRules } from '../../core/reading/rules.ts';
import { reachesOffers } from '../../core/reading/settled.ts';

/** Looks up what is needed to decide what this read means. What the execution knows is not looked up. */
export async function loadLedger(
  view: Omit<View, 'ledger'>,
  read: Read,
  rules: ReadingRules,
  now: number,
): Promise<Ledger> {
  if (isQuiet(view, read, rules, now)) return { accepts: {} };
  const { record, cursor } = view;
  const kinds = new Set([roundKindIn(record.status), roundKindIn(read.order.status)]);
  const hasOffers = read.order.status.startsWith('OFFERS_') || hasMovedOn(read.order);
  if (reachesOffers(record, read.order)) kinds.add('signatures');
  const accepts: Ledger['accepts'] = {};
  for (const kind of kinds) if (kind) accepts[kind] = await stateOf(kind, record, cursor);
  return {
    accepts,
    ...(hasOffers && { decision: confirmedDecision(record, cursor.known) ?? (await findDecision(record)) }),
  };
}

async function stateOf(kind: RoundKind, { orderRef, rounds }: View['record'], { known }: View['cursor']) {
  const round = rounds?.[kind];
  const name = round && acceptName(kind, round.number);
  if (name === undefined) return 'none';
  return name === known.accepted ? 'done' : ((await findOperation(orderRef, name))?.knowledge.state ?? 'none');
}
