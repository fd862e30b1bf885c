import type { LedgerEntry } from '../ledger/entry.ts';
import { mayBeDone, type State } from '../ledger/knowledge.ts';
import { confirmName } from '../order/operation-names.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOperations } from '../order/order-ledger.ts';
import type { Choice, KeptChoice, KeptDecision } from '../package/kept-decision.ts';

/** The decision on the offers, with what the ledger knows of each choice. */
export interface Decision extends Omit<KeptDecision, 'choices' | 'version'> {
  choices: KnownChoice[];
}

export const NO_DECISION: Decision = { choices: [], none: false };

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
  const entryOf = new Map(entries.map((entry) => [entry.item, entry]));
  return choices.map((choice) => {
    const entry = entryOf.get(`operation#${confirmName(choice.offerId)}`);
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

/** The order's decision as it was read, with what the ledger knows of each choice now. Undefined if nobody has decided yet. */
export async function findDecision({ orderRef, decision }: OrderItem): Promise<Decision | undefined> {
  const { choices, version } = decision;
  if (version === 0) return undefined;
  const entries = choices.length > 0 ? await findOperations(orderRef, 'confirm#') : [];
  return { ...decision, choices: joinStates(choices, entries) };
}

/** Whether every choice is confirmed, which nothing changes but another decision. */
export function isAllConfirmed(decision: Decision | undefined): boolean {
  return decision?.choices.every(({ confirm }) => confirm === 'done') ?? false;
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
  const states = choices.map((state) => ({
    offerId: state.choice.offerId,
    code: state.choice.code,
    state: stateOf(state, orderStatus),
  }));
  return { decided, none, choices: states };
}
