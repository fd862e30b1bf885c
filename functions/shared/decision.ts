import type { OperationEntry } from './ledger.ts';
import { confirmName } from './operations.ts';
import type { Offer } from './order-service-client.ts';
import { getItem, putItem, queryItems } from './table.ts';

/** One chosen credit option of one offer (specification, endpoint 7). */
export interface Choice {
  offerId: string;
  code: string;
}

/** The item `decision`. Choices are added or, before their confirm was begun, corrected; a position names one offer for good. */
interface DecisionItem {
  choices: Choice[];
  /** Whether the last word was to take no offer. */
  none: boolean;
  version: number;
}

/** The order's decision with what the ledger knows of each choice; undefined before anybody decided. */
export interface Decision {
  choices: { choice: Choice; confirm: OperationEntry['state'] | 'not-begun' }[];
  none: boolean;
}

export async function findDecision(orderRef: string): Promise<Decision | undefined> {
  const item = await getItem<DecisionItem>({ orderRef, item: 'decision' });
  return item && { choices: await withStates(orderRef, item.choices), none: item.none };
}

async function withStates(orderRef: string, choices: Choice[]): Promise<Decision['choices']> {
  const entries = await queryItems<OperationEntry>(orderRef, 'operation#confirm#');
  const states = new Map(entries.map(({ item, state }) => [item, state]));
  return choices.map((choice) => ({
    choice,
    confirm: states.get(`operation#${confirmName(choice.offerId)}`) ?? 'not-begun',
  }));
}

/**
 * Positions of the choices to confirm: those whose outcome is open, and of the others those whose offer is still AVAILABLE in
 * `offers`. A choice that the bank has withdrawn meanwhile is passed over, whatever was decided.
 */
export function openPositions(decision: Decision | undefined, offers: Offer[]): number[] {
  return (decision?.choices ?? []).flatMap(({ choice, confirm }, position) => {
    if (confirm === 'done') return [];
    const offer = offers.find(({ offerId }) => offerId === choice.offerId);
    return confirm === 'intended' || offer?.status === 'AVAILABLE' ? [position] : [];
  });
}

/** Whether there is nothing left to decide: no offer is wanted, or one that was chosen is confirmed or can be. */
export function isDecided(decision: Decision | undefined, offers: Offer[]): boolean {
  if (!decision) return false;
  const anyDone = decision.choices.some(({ confirm }) => confirm === 'done');
  return decision.none || anyDone || openPositions(decision, offers).length > 0;
}

/** The choice at a position of the order's decision; undefined when there is none. */
export async function choiceAt(orderRef: string, position: number): Promise<Choice | undefined> {
  return (await getItem<DecisionItem>({ orderRef, item: 'decision' }))?.choices[position];
}

/** Takes choices into the decision: a new offer is added; another code corrects a choice whose confirm was not begun or was refused. */
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

function merge(known: Decision['choices'], choices: Choice[]): Choice[] {
  const corrected = known.map(({ choice, confirm }) => {
    const later = choices.find(({ offerId }) => offerId === choice.offerId);
    return later && (confirm === 'not-begun' || confirm === 'not-done') ? later : choice;
  });
  const added = choices.filter(({ offerId }) => !known.some(({ choice }) => choice.offerId === offerId));
  return [...corrected, ...added];
}

/** Why each choice can't be confirmed, as sentences; empty when all can, or are confirmed already. */
export function choiceProblems(choices: Choice[], offers: Offer[], known?: Decision): string[] {
  const isDone = (wanted: Choice) =>
    known?.choices.some(
      ({ choice, confirm }) => confirm === 'done' && choice.offerId === wanted.offerId && choice.code === wanted.code,
    );
  return choices.flatMap(({ offerId, code }, position) => {
    if (isDone({ offerId, code })) return [];
    const offer = offers.find((candidate) => candidate.offerId === offerId);
    const at = `$.choices[${position}]`;
    if (!offer) return [`${at}.offerId: the order has no such offer. Take one from offers.json in staging.`];
    if (choices.findIndex((choice) => choice.offerId === offerId) < position) {
      return [`${at}.offerId: this offer is chosen twice.`];
    }
    if (offer.status !== 'AVAILABLE') {
      return [`${at}.offerId: this offer is not AVAILABLE, so it can not be confirmed.`];
    }
    if ((offer.creditOptions ?? []).some((option) => option.code === code)) return [];
    return [`${at}.code: this offer has no such credit option. Take a code from its creditOptions in offers.json.`];
  });
}
