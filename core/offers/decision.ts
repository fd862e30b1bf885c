import { changeRepeatedly } from '../order/change-order.ts';
import { type Decision, findDecision, isUnsettled, type KnownChoice } from '../order/decision-states.ts';
import { NOT_ASKED, type OrderItem } from '../order/order-item.ts';
import { MAX_CONFIRMS } from '../order/work-size.ts';
import type { Offer } from '../order-service/order-service-client.ts';
import type { Choice, Decided, KeptChoice } from '../package/kept-decision.ts';
import { sendOutbox } from '../staging/send-outbox.ts';
import { isAvailable } from './choices.ts';

/**
 * Positions of the choices to confirm: those whose offer is still AVAILABLE. Leaves out withdrawn choices, and those that reads must settle
 * first. Returns at most as many as one execution can process. The others follow after the next read.
 */
export function openPositions(decision: Decision | undefined, offers: Offer[]): number[] {
  const open = (decision?.choices ?? []).flatMap((state, position) => {
    const { choice, confirm } = state;
    if (confirm === 'done' || choice.withdrawn || isUnsettled(state)) return [];
    return isAvailable(offers, choice.offerId) ? [position] : [];
  });
  // A confirm that the service refused before will fail, so the others are sent first.
  const isRefused = (position: number) => decision?.choices[position]?.refused !== undefined;
  return open.sort((one, other) => Number(isRefused(one)) - Number(isRefused(other))).slice(0, MAX_CONFIRMS);
}

/** Whether the decision is made: it takes no offer, or a chosen offer is confirmed or can be. */
export function isDecided(decision: Decision | undefined, offers: Offer[]): boolean {
  if (!decision) return false;
  if (decision.none || anyConfirmed(decision) || openPositions(decision, offers).length > 0) return true;
  return decision.choices.some((state) => isUnsettled(state) && !state.choice.withdrawn);
}

export const anyConfirmed = (decision: Decision | undefined): boolean =>
  decision?.choices.some(({ confirm }) => confirm === 'done') ?? false;

/**
 * How many unconfirmed choices a new decision withdraws or changes. A decision that took no offer counts as one if the new one takes some.
 */
export function replacedBy(choices: Choice[], decision: Decision | undefined): number {
  const open = (decision?.choices ?? []).filter(({ choice, confirm }) => confirm !== 'done' && !choice.withdrawn);
  const isKept = ({ offerId, code }: Choice) => choices.some((one) => one.offerId === offerId && one.code === code);
  const replaced = open.filter(({ choice }) => !isKept(choice)).length;
  return decision?.none && choices.length > 0 ? 1 : replaced;
}

/**
 * Records a new decision. Publishes `choices.json`, unless a rule decided: the confirms that follow at once do. It replaces all choices,
 * except those that are confirmed. Reads first settle a confirm that was begun. Of two concurrent decisions, the first wins.
 * @returns the decision as it is now; undefined if another decision was recorded since the order was read.
 */
export async function addDecision(
  order: OrderItem,
  { choices, decided }: { choices: Choice[]; decided: Decided },
  now?: Decision,
): Promise<Decision | undefined> {
  const before = (now ?? (await findDecision(order)))?.choices ?? [];
  const none = choices.length === 0;
  const seen = order.decision.version;
  const decision = { choices: merge(before, choices), none, version: seen + 1, decided };
  const changes = { decision, decisionReason: undefined, ...NOT_ASKED };
  const write = { changes, isDated: false, condition: '#decision.version = :seen', values: { ':seen': seen } };
  const changed = await changeRepeatedly(order, write, () => []);
  if (!changed) return undefined;
  if (decided.how === 'person') await sendOutbox(changed);
  return { ...decision, choices: withStates(decision.choices, before) };
}

/** Adds the state of each choice. Merging keeps positions. */
const withStates = (choices: KeptChoice[], before: KnownChoice[]): KnownChoice[] =>
  choices.map((choice, position) => ({ ...(before[position] ?? { confirm: 'not-begun' }), choice }));

export function merge(before: KnownChoice[], choices: Choice[]): KeptChoice[] {
  const settled = before.map(({ choice, confirm }): KeptChoice => {
    if (confirm === 'done') return choice;
    const { offerId, code } = choice;
    return choices.find((later) => later.offerId === offerId) ?? { offerId, code, withdrawn: true };
  });
  const added = choices.filter(({ offerId }) => !before.some(({ choice }) => choice.offerId === offerId));
  return [...settled, ...added];
}
