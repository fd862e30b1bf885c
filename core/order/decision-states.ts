import type { LedgerEntry } from '../ledger/entry.ts';
import type { State } from '../ledger/knowledge.ts';
import type { Choice, KeptChoice, KeptDecision } from '../package/kept-decision.ts';
import { confirmName } from './operation-names.ts';
import type { OrderItem } from './order-item.ts';
import { findOperations } from './order-ledger.ts';

/** The decision on the offers, with the ledger's knowledge of each choice. */
export interface Decision extends Omit<KeptDecision, 'choices' | 'version'> {
  choices: KnownChoice[];
}

export const NO_DECISION: Decision = { choices: [], none: false };

/** A choice with the ledger's knowledge of its confirm. */
export interface KnownChoice {
  /** A confirmed choice as it was sent; any other as last decided. */
  choice: KeptChoice;
  confirm: Exclude<State, 'unlikely'> | 'not-begun';
  /** The service refused the confirm. Reads show at about `finalAbout` whether it was done anyway. */
  refused?: { httpStatus: number | undefined; finalAbout?: string | undefined };
  /** The service answered with a success that the specification does not show. Reads tell. */
  isOdd?: true;
  /** An operator reported it. The next read records it. */
  isSaid?: true;
  /** The choice that was sent and may have been confirmed. A later decision may have another code. */
  unsure?: Choice;
}

type ConfirmEntry = Pick<
  LedgerEntry,
  'item' | 'knowledge' | 'intent' | 'failure' | 'call' | 'finalAbout' | 'resolvedAt'
>;

/** Adds the ledger's knowledge of its confirm to each choice. `entries` may contain entries of other operations. */
export function joinStates(choices: readonly KeptChoice[], entries: readonly ConfirmEntry[]): KnownChoice[] {
  const entryOf = new Map(entries.map((entry) => [entry.item, entry]));
  return choices.map((choice) => {
    const entry = entryOf.get(`operation#${confirmName(choice.offerId)}`);
    if (!entry) return { choice, confirm: 'not-begun' };
    const { knowledge, intent, failure, call, finalAbout, resolvedAt } = entry;
    const said = resolvedAt !== undefined && { isSaid: true as const };
    if (knowledge.state === 'done')
      return { choice: { ...choice, code: codeOf(knowledge.outcome) ?? choice.code }, confirm: 'done', ...said };
    const refused = failure === 'Rejected' && { refused: { httpStatus: call.httpStatus, finalAbout } };
    if (knowledge.state === 'none') return { choice, confirm: 'none', ...refused, ...said };
    const { httpStatus = 0 } = call;
    return {
      choice,
      confirm: 'open',
      ...refused,
      ...(httpStatus >= 200 && httpStatus < 300 && { isOdd: true as const }),
      unsure: { offerId: choice.offerId, code: codeOf(intent) ?? choice.code },
    };
  });
}

/** The order's decision as it was read, with the ledger's present knowledge of each choice. Undefined if nobody has decided yet. */
export async function findDecision({ orderRef, decision }: OrderItem): Promise<Decision | undefined> {
  const { choices, version } = decision;
  if (version === 0) return undefined;
  const entries = choices.length > 0 ? await findOperations(orderRef, 'confirm#') : [];
  return { ...decision, choices: joinStates(choices, entries) };
}

/** Whether every choice is confirmed. Only another decision can change that. */
export const isAllConfirmed = (decision: Decision | undefined): boolean =>
  decision?.choices.every(({ confirm }) => confirm === 'done') ?? false;

/** Whether reads must settle this confirm before anything is sent: its outcome is unknown. */
export const isUnsettled = ({ confirm }: KnownChoice): boolean => confirm === 'open';

/** Whether no other confirm may be sent in `OFFERS_AVAILABLE`. One that was refused, or answered 2xx, does not block the others. */
export const holdsOthers = (state: KnownChoice): boolean => isUnsettled(state) && !state.refused && !state.isOdd;

const codeOf = (sent: Record<string, unknown> | undefined): string | undefined =>
  (sent as Partial<Choice> | undefined)?.code;

const WORDS = {
  'not-begun': 'chosen',
  none: 'not confirmed',
  open: 'outcome unknown',
  done: 'confirmed',
};

/** The state of a choice that was not confirmed, in an order that is over. */
const ENDED: Record<string, string | undefined> = {
  CLOSED: 'not confirmed: the order was closed',
  VALIDATION_FAILED: 'not confirmed: the validation failed',
};

export function stateOf({ choice, confirm, refused }: KnownChoice, orderStatus = ''): string {
  if (confirm === 'done') return WORDS.done;
  if (confirm === 'open') return refused ? `refused, ${WORDS.open}` : WORDS.open;
  if (choice.withdrawn) return 'withdrawn';
  return refused ? 'refused' : (ENDED[orderStatus] ?? WORDS[confirm]);
}

/** Whether the offer of a choice in this state is confirmed, or may be. */
export const mayBeConfirmed = (state: string) => state === WORDS.done || state.includes(WORDS.open);

/** A decision as people see it: in `choices.json`, in `show`, in the console and in archives. */
export function decisionView({ decided, none, choices }: Decision, orderStatus?: string) {
  const states = choices.map((known) => ({
    offerId: known.choice.offerId,
    code: known.choice.code,
    state: stateOf(known, orderStatus),
    ...(known.refused && { refused: known.refused }),
  }));
  return { decided, none, choices: states };
}
