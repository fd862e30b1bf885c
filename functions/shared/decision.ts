import { type Choice, type Decision, type DecisionItem, isAvailable, joinStates, type KeptChoice } from './choices.ts';
import type { OperationEntry } from './ledger.ts';
import type { Offer } from './order-service-client.ts';
import { getItem, putItem, queryItems } from './table.ts';
import { MOST_CONFIRMS } from './work-size.ts';

export async function findDecision(orderRef: string): Promise<Decision | undefined> {
  const item = await getItem<DecisionItem>({ orderRef, item: 'decision' });
  return item && { choices: await withStates(orderRef, item.choices), none: item.none };
}

async function withStates(orderRef: string, choices: KeptChoice[]): Promise<Decision['choices']> {
  return joinStates(choices, await queryItems<OperationEntry>(orderRef, 'operation#confirm#'));
}

/**
 * Positions of the choices to confirm: those whose outcome is open, and of the others those whose offer is still AVAILABLE in
 * `offers`. A withdrawn one is not. A choice that the bank has withdrawn meanwhile is passed over, whatever was decided. No more than
 * one execution has room for: the rest follows the next read.
 */
export function openPositions(decision: Decision | undefined, offers: Offer[]): number[] {
  const open = (decision?.choices ?? []).flatMap(({ choice, confirm }, position) => {
    if (confirm === 'intended') return [position];
    if (confirm === 'done' || choice.withdrawn) return [];
    return isAvailable(offers, choice.offerId) ? [position] : [];
  });
  return open.slice(0, MOST_CONFIRMS);
}

/** Whether there is nothing left to decide: no offer is wanted, or one that was chosen is confirmed or can be. */
export function isDecided(decision: Decision | undefined, offers: Offer[]): boolean {
  if (!decision) return false;
  return decision.none || anyConfirmed(decision) || openPositions(decision, offers).length > 0;
}

export function anyConfirmed(decision: Decision | undefined): boolean {
  return decision?.choices.some(({ confirm }) => confirm === 'done') ?? false;
}

/** The choice at a position of the order's decision; undefined when there is none. */
export async function choiceAt(orderRef: string, position: number): Promise<KeptChoice | undefined> {
  return (await getItem<DecisionItem>({ orderRef, item: 'decision' }))?.choices[position];
}

/** Makes these choices the decision: what was not begun goes by them alone, what was begun or confirmed stays. */
export async function addDecision(orderRef: string, choices: Choice[]): Promise<void> {
  for (;;) {
    const earlier = await getItem<DecisionItem>({ orderRef, item: 'decision' });
    const known = earlier ? await withStates(orderRef, earlier.choices) : [];
    const version = earlier?.version ?? 0;
    const written = await putItem(
      { orderRef, item: 'decision', choices: merge(known, choices), none: choices.length === 0, version: version + 1 },
      earlier ? 'version = :version' : 'attribute_not_exists(orderRef)',
      earlier && { ':version': version },
    );
    if (written) return;
  }
}

function merge(known: Decision['choices'], choices: Choice[]): KeptChoice[] {
  const settled = known.map(({ choice, confirm }): KeptChoice => {
    if (confirm === 'done' || confirm === 'intended') return choice;
    const { offerId, code } = choice;
    return choices.find((later) => later.offerId === offerId) ?? { offerId, code, withdrawn: true };
  });
  const added = choices.filter(({ offerId }) => !known.some(({ choice }) => choice.offerId === offerId));
  return [...settled, ...added];
}
