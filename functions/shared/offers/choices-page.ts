import { isDeepStrictEqual } from 'node:util';
import { type Decision, stateOf } from '../order/choices.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOrder } from '../order/order-record.ts';
import { stageJson } from '../order/staging.ts';
import { findDecision } from './decision.ts';

/** `choices.json`: what was decided, and what became of each choice. */
interface Page {
  /** Why a human must choose though there is a rule, until somebody has. */
  reason?: string | undefined;
  none: boolean;
  choices: { offerId: string; code: string; state: string }[];
}

/** What the caller of {@link stageChoices} knows. */
interface Known {
  /** What the record says, or is about to: it is staged before the record is looked at. */
  first?: Page;
  /** The caller is the one who confirms: of the record only the order can have changed meanwhile. */
  isConfirming?: true;
}

/**
 * Stages `choices.json` from the record: what was chosen and what became of each choice so far, or why a human must choose where there
 * is a rule. Whoever changes one of these calls it afterwards. Two may stage at once: each looks again until the page is what the record says.
 * @returns the decision as the record has it; undefined before anybody decided.
 */
export async function stageChoices(
  orderRef: string,
  { first, isConfirming }: Known = {},
): Promise<Decision | undefined> {
  let staged = first && (await stagePage(orderRef, first));
  for (let before: Decided | undefined; ; ) {
    const order = await findOrder(orderRef);
    if (isConfirming && before && isDeepStrictEqual(facts(order), facts(before.order))) return before.decision;
    const decision = order && (await findDecision(order));
    const page = pageOf(order, decision);
    if (JSON.stringify(page) === staged) return decision;
    staged = await stagePage(orderRef, page);
    before = { order, decision };
  }
}

interface Decided {
  order: OrderItem | undefined;
  decision: Decision | undefined;
}

/** What the page shows of the order itself. */
const facts = (order: OrderItem | undefined) => [order?.decision, order?.decisionReason, order?.status];

/** Stages the page; answers it as a text, to be compared. */
export async function stagePage(orderRef: string, page: Page): Promise<string> {
  await stageJson(orderRef, 'choices.json', { orderRef, ...page });
  return JSON.stringify(page);
}

export function pageOf(order: OrderItem | undefined, decision: Decision | undefined): Page {
  const { choices, none } = decision ?? { choices: [], none: false };
  return {
    reason: order?.decisionReason,
    none,
    choices: choices.map((known) => ({
      offerId: known.choice.offerId,
      code: known.choice.code,
      state: stateOf(known, order?.status),
    })),
  };
}
