import type { Problem } from './json-problems.ts';
import type { OperationEntry } from './ledger.ts';
import { confirmName } from './operations.ts';
import type { Offer } from './order-service-client.ts';
import { getItem, putItem, queryItems } from './table.ts';
import { MOST_CONFIRMS } from './work-size.ts';

/** One chosen credit option of one offer (specification, endpoint 7). */
export interface Choice {
  offerId: string;
  code: string;
}

/** A choice as it is kept: one that a later decision left out, before its confirm was begun, is withdrawn. */
interface KeptChoice extends Choice {
  withdrawn?: true;
}

/** The item `decision`. A position names one offer for good; what was not begun, the latest decision settles. */
interface DecisionItem {
  choices: KeptChoice[];
  /** Whether the last word was to take no offer. */
  none: boolean;
  version: number;
}

/** The order's decision with what the ledger knows of each choice; undefined before anybody decided. */
export interface Decision {
  choices: { choice: KeptChoice; confirm: OperationEntry['state'] | 'not-begun' }[];
  none: boolean;
}

export async function findDecision(orderRef: string): Promise<Decision | undefined> {
  const item = await getItem<DecisionItem>({ orderRef, item: 'decision' });
  return item && { choices: await withStates(orderRef, item.choices), none: item.none };
}

async function withStates(orderRef: string, choices: KeptChoice[]): Promise<Decision['choices']> {
  const entries = await queryItems<OperationEntry>(orderRef, 'operation#confirm#');
  const states = new Map(entries.map(({ item, state }) => [item, state]));
  return choices.map((choice) => ({
    choice,
    confirm: states.get(`operation#${confirmName(choice.offerId)}`) ?? 'not-begun',
  }));
}

/**
 * Positions of the choices to confirm: those whose outcome is open, and of the others those whose offer is still AVAILABLE in
 * `offers`. A withdrawn one is not. A choice that the bank has withdrawn meanwhile is passed over, whatever was decided. No more than
 * one execution has room for: the rest follows the next read.
 */
export function openPositions(decision: Decision | undefined, offers: Offer[]): number[] {
  const open = (decision?.choices ?? []).flatMap(({ choice, confirm }, position) => {
    if (confirm === 'done' || choice.withdrawn) return [];
    const offer = offers.find(({ offerId }) => offerId === choice.offerId);
    return confirm === 'intended' || offer?.status === 'AVAILABLE' ? [position] : [];
  });
  return open.slice(0, MOST_CONFIRMS);
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

/** Why each choice can't be confirmed; empty when all can, or are confirmed already. */
export function choiceProblems(choices: Choice[], offers: Offer[], known?: Decision): Problem[] {
  const isDone = (wanted: Choice) =>
    known?.choices.some(
      ({ choice, confirm }) => confirm === 'done' && choice.offerId === wanted.offerId && choice.code === wanted.code,
    );
  return choices.flatMap((choice, position) => {
    if (isDone(choice)) return [];
    const isRepeated = choices.findIndex(({ offerId }) => offerId === choice.offerId) < position;
    const problem = isRepeated
      ? { member: 'offerId', problem: 'This offer is chosen twice.', mend: 'Remove one of the two.' }
      : choiceProblem(choice, offers);
    if (!problem) return [];
    const { member, ...words } = problem;
    return [{ path: `$.choices[${position}].${member}`, ...words }];
  });
}

function choiceProblem({ offerId, code }: Choice, offers: Offer[]) {
  const offer = offers.find((candidate) => candidate.offerId === offerId);
  const mend = 'Take one that is AVAILABLE from offers.json in staging.';
  if (!offer) return { member: 'offerId', problem: 'The order has no such offer.', mend };
  if (offer.status !== 'AVAILABLE') return { member: 'offerId', problem: 'This offer is not AVAILABLE.', mend };
  if ((offer.creditOptions ?? []).some((option) => option.code === code)) return undefined;
  const fromOptions = "Take a code from the offer's creditOptions in offers.json in staging.";
  return { member: 'code', problem: 'The offer has no such credit option.', mend: fromOptions };
}
