import {
  type Choice,
  type Decision,
  isAvailable,
  isUnsettled,
  joinStates,
  type KeptChoice,
  type KeptDecision,
} from '../order/choices.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOperations } from '../order/order-ledger.ts';
import type { Offer } from '../order/order-service-client.ts';
import { getItem, updateItem } from '../order/order-table.ts';
import { MOST_CONFIRMS } from '../order/work-size.ts';

/** An order as its record was read. */
export type DecidedOrder = Pick<OrderItem, 'orderRef' | 'decision'>;

/** The decision that the record had when it was read, with what the ledger knows of each choice now. */
export async function findDecision(order: DecidedOrder): Promise<Decision | undefined> {
  const kept = await keptDecision(order);
  return kept && { choices: await withStates(order.orderRef, kept.choices), none: kept.none };
}

/** Undefined before anybody decided. */
async function keptDecision({ orderRef, decision }: DecidedOrder): Promise<KeptDecision | undefined> {
  const kept = decision ?? (await getItem<KeptDecision>({ orderRef, item: 'decision' }));
  return kept && kept.version > 0 ? kept : undefined;
}

async function withStates(orderRef: string, choices: KeptChoice[]): Promise<Decision['choices']> {
  if (choices.length === 0) return [];
  return joinStates(choices, await findOperations(orderRef, 'confirm#'));
}

/**
 * Positions of the choices to confirm: those whose offer is still AVAILABLE in `offers`. One that was withdrawn is left out, and so is
 * one whose confirm a read must settle first. At most as many as one execution has room for: the rest follows the next read.
 */
export function openPositions(decision: Decision | undefined, offers: Offer[]): number[] {
  const open = (decision?.choices ?? []).flatMap((known, position) => {
    const { choice, confirm } = known;
    if (confirm === 'done' || choice.withdrawn || isUnsettled(known)) return [];
    return isAvailable(offers, choice.offerId) ? [position] : [];
  });
  return open.slice(0, MOST_CONFIRMS);
}

/** Whether reads have to tell first what became of a confirm. */
export function isAnyUnsettled(decision: Decision | undefined): boolean {
  return decision?.choices.some(isUnsettled) ?? false;
}

/** Whether there is nothing left to decide: no offer is wanted, or one that was chosen is confirmed or can be. */
export function isDecided(decision: Decision | undefined, offers: Offer[]): boolean {
  if (!decision) return false;
  if (decision.none || anyConfirmed(decision) || openPositions(decision, offers).length > 0) return true;
  return decision.choices.some((known) => isUnsettled(known) && !known.choice.withdrawn);
}

export function anyConfirmed(decision: Decision | undefined): boolean {
  return decision?.choices.some(({ confirm }) => confirm === 'done') ?? false;
}

/** The choice at a position of the order's decision; undefined when there is none. */
export async function choiceAt(order: DecidedOrder, position: number): Promise<KeptChoice | undefined> {
  return (await keptDecision(order))?.choices[position];
}

/** What somebody has decided: a rule, or a person, by a version of `decision.json`. */
export interface LastWord {
  choices: Choice[];
  file?: string;
}

/**
 * Makes these choices the decision. A choice whose confirm is done stays; any other goes by the new decision alone, and where its confirm
 * was begun a read settles it first.
 * @param known the order's decision where it has just been looked up.
 * @returns the decision as it is now; undefined where another was recorded since the order was read.
 */
export async function addDecision(
  order: DecidedOrder,
  { choices, file }: LastWord,
  known?: Decision,
): Promise<Decision | undefined> {
  const earlier = await keptDecision(order);
  const before = known?.choices ?? (earlier ? await withStates(order.orderRef, earlier.choices) : []);
  const none = choices.length === 0;
  const kept = { choices: merge(before, choices), none, version: (earlier?.version ?? 0) + 1, ...(file && { file }) };
  if (!(await writeDecision(order, kept))) return undefined;
  return { choices: joinKnown(kept.choices, before), none };
}

/** Nobody has to choose any more. False where the record does not have the decision any more with which it was read. */
async function writeDecision({ orderRef, decision: seen }: DecidedOrder, decision: KeptDecision): Promise<boolean> {
  const unchanged = seen
    ? '#decision.version = :seen'
    : 'attribute_exists(orderRef) AND attribute_not_exists(#decision)';
  const changes = { decision, decisionReason: undefined, awaited: undefined };
  return updateItem({ orderRef, item: 'order' }, changes, unchanged, seen && { ':seen': seen.version });
}

/** Choices that were merged, with what was known of those before: positions stay. */
function joinKnown(choices: KeptChoice[], before: Decision['choices']): Decision['choices'] {
  return choices.map((choice, position) => ({ ...(before[position] ?? { confirm: 'not-begun' }), choice }));
}

function merge(known: Decision['choices'], choices: Choice[]): KeptChoice[] {
  const settled = known.map(({ choice, confirm }): KeptChoice => {
    if (confirm === 'done') return choice;
    const { offerId, code } = choice;
    return choices.find((later) => later.offerId === offerId) ?? { offerId, code, withdrawn: true };
  });
  const added = choices.filter(({ offerId }) => !known.some(({ choice }) => choice.offerId === offerId));
  return [...settled, ...added];
}
