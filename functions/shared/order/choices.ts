import type { Problem } from '../json/json-problems.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import { mayBeDone, type State } from '../ledger/knowledge.ts';
import { confirmName } from './operation-names.ts';
import type { Offer } from './order-service-client.ts';

/** One chosen credit option of one offer (specification, endpoint 7). */
export interface Choice {
  offerId: string;
  code: string;
}

/** A choice as it is kept: one that a later decision left out, before its confirm was begun, is withdrawn. */
export interface KeptChoice extends Choice {
  withdrawn?: true;
}

/** What was decided, in the order's record. A position names one offer for good; what was not begun, the latest decision settles. */
export interface KeptDecision {
  choices: KeptChoice[];
  /** Whether the last word was to take no offer. */
  none: boolean;
  /** Counts the decisions; 0 before anybody decided. */
  version: number;
  /** Version of the `decision.json` that had the last word; absent where that was a rule. */
  file?: string;
}

export const UNDECIDED: KeptDecision = { choices: [], none: false, version: 0 };

/** The order's decision with what the ledger knows of each choice; undefined before anybody decided. */
export interface Decision {
  choices: {
    /** As the service has it once it is confirmed, else as it was decided last. */
    choice: KeptChoice;
    confirm: State | 'not-begun';
    /** What was sent and may have come through, whatever the service answered: a later decision may have another code. */
    unsure?: Choice;
  }[];
  none: boolean;
}

type ConfirmEntry = Pick<LedgerEntry, 'item' | 'knowledge' | 'intent'>;

/** Kept choices with what the ledger's entries, of confirms among others, say of each. */
export function joinStates(choices: readonly KeptChoice[], entries: readonly ConfirmEntry[]): Decision['choices'] {
  const known = new Map(entries.map((entry) => [entry.item, entry]));
  return choices.map((choice) => {
    const entry = known.get(`operation#${confirmName(choice.offerId)}`);
    if (!entry) return { choice, confirm: 'not-begun' };
    const { knowledge, intent } = entry;
    const confirm = knowledge.state;
    if (knowledge.state === 'done') {
      return { choice: { ...choice, code: codeOf(knowledge.outcome) ?? choice.code }, confirm };
    }
    const unsure = { offerId: choice.offerId, code: codeOf(intent) ?? choice.code };
    return { choice, confirm, ...(mayBeDone(knowledge) && { unsure }) };
  });
}

/**
 * Whether a read has to tell first what became of this confirm: its outcome is unknown, or a 429 or 503 said that it was not done and
 * another code is wanted by now.
 */
export function isUnsettled({ choice, confirm, unsure }: Decision['choices'][number]): boolean {
  return confirm === 'open' || (confirm === 'unlikely' && unsure?.code !== choice.code);
}

function codeOf(sent: Record<string, unknown> | undefined): string | undefined {
  return (sent as Partial<Choice> | undefined)?.code;
}

const WORDS: Record<Decision['choices'][number]['confirm'], string> = {
  'not-begun': 'chosen',
  none: 'not confirmed',
  unlikely: 'not confirmed',
  open: 'outcome unknown',
  done: 'confirmed',
};

/** What became of a choice, in a person's words. Once the order is CLOSED nothing more is confirmed. */
export function stateOf({ choice, confirm }: Decision['choices'][number], orderStatus?: string): string {
  if (confirm === 'done' || confirm === 'open') return WORDS[confirm];
  if (choice.withdrawn) return 'withdrawn';
  return orderStatus === 'CLOSED' ? 'not confirmed: the order was closed' : WORDS[confirm];
}

/**
 * Whether the offer can be confirmed (specification, 2.2). Of a list with elements that are no offers the others count; of an
 * `offerId` that is listed twice, both must be AVAILABLE.
 */
export function isAvailable(offers: readonly Offer[], offerId: string): boolean {
  return hasStatus(offers, offerId, 'AVAILABLE');
}

/** Whether the offer has this status, each time that it is listed. */
export function hasStatus(offers: readonly Offer[], offerId: string, wanted: string): boolean {
  const named = offersNamed(offers, offerId);
  return named.length > 0 && named.every(({ status }) => status === wanted);
}

/** Whether the offer is listed at all. */
export function isListed(offers: readonly Offer[], offerId: string): boolean {
  return offersNamed(offers, offerId).length > 0;
}

/** Whether one of the credit options of the offer has this code. */
function hasCode(offers: readonly Offer[], { offerId, code }: Choice): boolean {
  const options: unknown[] = offersNamed(offers, offerId).flatMap(({ creditOptions }) => creditOptions ?? []);
  return options.some((option) => (option as { code?: unknown } | null)?.code === code);
}

/** The service may list anything under `offers`: what is no object has no `offerId`. */
function offersNamed(offers: readonly (Offer | null)[], offerId: string): Offer[] {
  return offers.filter((offer): offer is Offer => offer?.offerId === offerId);
}

/** Why each choice can't be confirmed; empty when all can, or are confirmed already. */
export function choiceProblems(choices: Choice[], offers: Offer[], known?: Decision): Problem[] {
  const isDone = (wanted: Choice) =>
    known?.choices.some(
      ({ choice, confirm }) => confirm === 'done' && choice.offerId === wanted.offerId && choice.code === wanted.code,
    );
  return choices.flatMap((choice, position) => {
    const isRepeated = choices.findIndex(({ offerId }) => offerId === choice.offerId) < position;
    if (!isRepeated && isDone(choice)) return [];
    const problem = isRepeated
      ? { member: 'offerId', problem: 'This offer is chosen twice.', mend: 'Remove one of the two.' }
      : choiceProblem(choice, offers);
    if (!problem) return [];
    const { member, ...words } = problem;
    return [{ path: `$.choices[${position}].${member}`, ...words }];
  });
}

function choiceProblem(choice: Choice, offers: Offer[]) {
  const { offerId } = choice;
  const mend = 'Take one that is AVAILABLE from offers.json in staging.';
  if (!isListed(offers, offerId)) {
    return { member: 'offerId', problem: 'The order has no such offer.', mend };
  }
  if (!isAvailable(offers, offerId)) return { member: 'offerId', problem: 'This offer is not AVAILABLE.', mend };
  if (hasCode(offers, choice)) return undefined;
  const fromOptions = "Take a code from the offer's creditOptions in offers.json in staging.";
  return { member: 'code', problem: 'The offer has no such credit option.', mend: fromOptions };
}
