import { isDeepStrictEqual } from 'node:util';
import type { OrderItem } from '../order/order-item.ts';
import { findOrder } from '../order/order-record.ts';
import { stageJson } from '../people/staging.ts';
import { type Decision, decisionView } from './choices.ts';
import { findDecision } from './decision.ts';

/** The content of `choices.json`: the decision, and the state of each choice. */
interface Page extends ReturnType<typeof decisionView> {
  /** Why a human must choose although there is a rule. Absent once somebody has chosen. */
  reason?: string | undefined;
}

/** What the caller of {@link stageChoices} knows already. */
interface Known {
  /** The page that the caller expects. It is staged before the record is read. */
  first?: Page;
  /** The caller is the function that confirms, so nobody else changes the state of a confirm in the meantime. */
  isConfirming?: true;
  /** The page as it is in staging. It is not written again if it matches the record. */
  staged?: Page | undefined;
}

/**
 * Stages `choices.json` from the record. Call this after every change of the decision or of a choice's state. Two functions
 * may stage the page at the same time, so each repeats this until the page matches the record.
 * @returns the recorded decision; undefined if nobody has decided yet.
 */
export async function stageChoices(
  orderRef: string,
  { first, isConfirming, staged: known }: Known = {},
): Promise<Decision | undefined> {
  let staged = first ? await stagePage(orderRef, first) : textOf(orderRef, known);
  for (let before: Before | undefined; ; ) {
    const order = await findOrder(orderRef);
    if (isConfirming && before && isDeepStrictEqual(facts(order), facts(before.order))) return before.decision;
    const decision = order && (await findDecision(order));
    const page = pageOf(order, decision);
    if (textOf(orderRef, page) === staged) return decision;
    staged = await stagePage(orderRef, page);
    before = { order, decision };
  }
}

interface Before {
  order: OrderItem | undefined;
  decision: Decision | undefined;
}

/** The fields of the order that the page shows. */
const facts = (order: OrderItem | undefined) => [order?.decision, order?.decisionReason, order?.status];

/** Stages the page and returns it as text. */
export async function stagePage(orderRef: string, page: Page): Promise<string> {
  await stageJson(orderRef, 'choices.json', { orderRef, ...page });
  return textOf(orderRef, page);
}

const textOf = (orderRef: string, page: Page | undefined) => JSON.stringify({ orderRef, ...page });

export function pageOf(order: OrderItem | undefined, decision: Decision | undefined): Page {
  return {
    reason: order?.decisionReason,
    ...decisionView(decision ?? { choices: [], none: false }, order?.status),
  };
}
