import type { Problem } from '../json/json-problems.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import { mayBeDone, type State } from '../ledger/knowledge.ts';
import type { Choice, KeptChoice, KeptDecision } from '../order/kept-decision.ts';
import { confirmName } from '../order/operation-names.ts';
import type { Offer } from '../order-service/order-service-client.ts';

/** The decision on the offers, with what the ledger knows of each choice. */
export interface Decision extends Omit<KeptDecision, 'choices' | 'version'> {
  choices: KnownChoice[];
}

/** A choice with what the ledger knows of its confirm. */
export interface KnownChoice {
  /** A confirmed choice as it was sent; any other choice as it was decided last. */
  choice: KeptChoice;
  confirm: State | 'not-begun';
  /** What was sent and may have been confirmed. A later decision may have another code. */
  unsure?: Choice;
}

type ConfirmEntry = Pick<LedgerEntry, 'item' | 'knowledge' | 'intent'>;

/** Adds to each choice what the ledger knows of its confirm. `entries` may contain entries of other operations. */
export function joinStates(choices: readonly KeptChoice[], entries: readonly ConfirmEntry[]): KnownChoice[] {
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
 * Whether reads must settle this confirm before anything is sent: its outcome is unknown; or a 429 or 503 said that it was
 * not done, and the decision has another code by now.
 */
export function isUnsettled({ choice, confirm, unsure }: KnownChoice): boolean {
  return confirm === 'open' || (confirm === 'unlikely' && unsure?.code !== choice.code);
}

function codeOf(sent: Record<string, unknown> | undefined): string | undefined {
  return (sent as Partial<Choice> | undefined)?.code;
}

const WORDS: Record<KnownChoice['confirm'], string> = {
  'not-begun': 'chosen',
  none: 'not confirmed',
  unlikely: 'not confirmed',
  open: 'outcome unknown',
  done: 'confirmed',
};

/** The state of a choice that was not confirmed, in an order that is over. */
const ENDED: Record<string, string | undefined> = {
  CLOSED: 'not confirmed: the order was closed',
  VALIDATION_FAILED: 'not confirmed: the validation failed',
};

export function stateOf({ choice, confirm }: KnownChoice, orderStatus = ''): string {
  if (confirm === 'done' || confirm === 'open') return WORDS[confirm];
  if (choice.withdrawn) return 'withdrawn';
  return ENDED[orderStatus] ?? WORDS[confirm];
}

/** A decision as people see it: in `choices.json`, in `show`, in the console and in archives. */
export function decisionView({ decided, none, choices }: Decision, orderStatus?: string) {
  const states = choices.map((known) => ({
    offerId: known.choice.offerId,
    code: known.choice.code,
    state: stateOf(known, orderStatus),
  }));
  return { decided, none, choices: states };
}

/** The specification, 2.2. Malformed elements of the list are ignored. */
export function isAvailable(offers: readonly Offer[], offerId: string): boolean {
  return hasStatus(offers, offerId, 'AVAILABLE');
}

/** Whether the offer has this status. If it is listed several times, each must have it. */
export function hasStatus(offers: readonly Offer[], offerId: string, wanted: string): boolean {
  const named = offersNamed(offers, offerId);
  return named.length > 0 && named.every(({ status }) => status === wanted);
}

export function isListed(offers: readonly Offer[], offerId: string): boolean {
  return offersNamed(offers, offerId).length > 0;
}

function hasCode(offers: readonly Offer[], { offerId, code }: Choice): boolean {
  const options: unknown[] = offersNamed(offers, offerId).flatMap(({ creditOptions }) => creditOptions ?? []);
  return options.some((option) => (option as { code?: unknown } | null)?.code === code);
}

/** The elements with this `offerId`. The service may list elements that are not objects. */
function offersNamed(offers: readonly (Offer | null)[], offerId: string): Offer[] {
  return offers.filter((offer): offer is Offer => offer?.offerId === offerId);
}

/** Why choices cannot be confirmed. Empty if all can be confirmed or are confirmed already. */
export function choiceProblems(choices: Choice[], offers: Offer[], known?: Decision): Problem[] {
  return choices.flatMap((choice, position) => {
    const isRepeated = choices.findIndex(({ offerId }) => offerId === choice.offerId) < position;
    const problem = isRepeated ? REPEATED : problemOf(choice, offers, known);
    if (!problem) return [];
    const { member, ...words } = problem;
    return [{ path: `$.choices[${position}].${member}`, ...words }];
  });
}

const REPEATED = { member: 'offerId', problem: 'This offer is chosen twice.', fix: 'Remove one of the two.' };

function problemOf(wanted: Choice, offers: Offer[], known: Decision | undefined) {
  const { offerId } = wanted;
  const done = known?.choices.find(({ choice, confirm }) => confirm === 'done' && choice.offerId === offerId);
  if (done) {
    // A confirmed offer keeps its credit option, whatever is decided later.
    const { code } = done.choice;
    const problem = `This offer is confirmed already, with the code ${code}.`;
    return code === wanted.code
      ? undefined
      : { member: 'code', problem, fix: 'Choose this code, or leave the offer out.' };
  }
  const fix = 'Choose an AVAILABLE offer from offers.json in staging.';
  if (!isListed(offers, offerId)) return { member: 'offerId', problem: 'The order does not have this offer.', fix };
  if (!isAvailable(offers, offerId)) return { member: 'offerId', problem: 'This offer is not AVAILABLE.', fix };
  if (hasCode(offers, wanted)) return undefined;
  const fromOptions = "Choose a code from the offer's creditOptions in offers.json in staging.";
  return { member: 'code', problem: 'The offer does not have this credit option.', fix: fromOptions };
}
