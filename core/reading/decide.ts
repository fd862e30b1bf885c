import { UnexpectedResponse } from '../errors.ts';
import { anyConfirmed, isDecided, openPositions } from '../offers/decision.ts';
import { withProven } from '../offers/proven-confirms.ts';
import { holdsOthers, isUnsettled } from '../order/decision-states.ts';
import { type Awaited, isAsked, readNotBefore } from '../order/order-item.ts';
import { secondsOfWait } from '../order/waits.ts';
import { MAX_DOCUMENTS_TO_SIGN } from '../order/work-size.ts';
import { isBelieved, oneMore, settlingWait } from './believed.ts';
import { changesOf, changesWait, endsOf, isUnchanged } from './changes.ts';
import { knownAfter, outputOf, type ReadOrderOutput, repeatsBefore } from './output.ts';
import type { Answer, Facts, Plan, Read, Step, View } from './plan.ts';
import { grownSeconds, nextReadAfter } from './poll.ts';
import { roundStep } from './round.ts';
import type { ReadingRules } from './rules.ts';
import { linesOf, settledAccept, settledConfirms, unsignedLines } from './settled.ts';
import { planWithoutRead } from './without-read.ts';

const ANSWERED: Step = { todo: 'wait', isAnswered: true };

/**
 * Decides what an answer means (specification, section 3).
 * @param now when the answer arrived, in milliseconds since the epoch.
 */
export function decide(view: View, answer: Answer, rules: ReadingRules, now: number): Plan {
  const isRead = answer.is === 'read';
  const plan = isRead ? planWithRead(view, answer, rules, now) : planWithoutRead(view, answer, rules, now);
  return withRepeats(plan, now);
}

/** An execution that hands over passes on the repeats that it has counted. */
function withRepeats(plan: Plan, now: number): Plan {
  const { todo, repeats: reads, known, generation } = plan.output;
  const since = known.repeatedSince ?? new Date(now).toISOString();
  const counted = known.strange ?? (reads > 0 ? { reads, since } : undefined);
  if (todo !== 'continue' || counted === undefined || plan.failure) return plan;
  const { changes, isDated } = plan.record ?? { changes: {}, isDated: false };
  return { ...plan, record: { changes: { ...changes, repeats: { ...counted, generation } }, isDated } };
}

function planWithRead(view: View, answer: Read, rules: ReadingRules, now: number): Plan {
  const facts = factsOf(view, answer, rules, now);
  if (isQuiet(view, answer, rules, now)) return quietPlan(facts);
  try {
    return planOf(facts, nextStep(facts));
  } catch (failure) {
    if (!(failure instanceof UnexpectedResponse)) throw failure;
    const output = outputOf(view, { todo: 'wait', ...facts.next });
    return { ...settledConfirms(facts), postpone: facts.next.nextReadAt, failure, output };
  }
}

/**
 * Whether the last read found nothing to do and nothing has changed since: neither the order nor the decision. `nextReadAt`
 * shows whether there was another read in between. A repeated status that is believed by now is never quiet.
 */
export function isQuiet(
  { record, cursor }: Omit<View, 'ledger'>,
  read: Read,
  rules: ReadingRules,
  now: number,
): boolean {
  const isSameDecision = cursor.known.decision !== undefined && cursor.known.decision === record.decision.version;
  const isLastRead = cursor.nextReadAt === (readNotBefore(record) ?? '');
  const isSame =
    isSameDecision &&
    isLastRead &&
    isUnchanged(record, read) &&
    !endsOf(record) &&
    !changesWait(record, read, rules, now);
  return isSame && !isBelieved(repeatsBefore(record, cursor), rules, now);
}

/** The output of the last read, with the new wait. */
function quietPlan(facts: Facts): Plan {
  const { record, cursor, next } = facts;
  const isSettling = cursor.repeats > 0;
  const before = repeatsBefore(record, cursor);
  const pollAfterSeconds = isSettling ? settlingWait(next.pollAfterSeconds, before, facts.now) : grownSeconds(facts);
  const repeats = isSettling ? cursor.repeats + 1 : 0;
  const wait = { pollAfterSeconds, nextReadAt: readNotBefore(record) ?? '', repeats, known: cursor.known };
  return { output: outputOf(facts, { todo: 'wait', ...wait }) };
}

function factsOf(view: View, read: Read, rules: ReadingRules, now: number): Facts {
  const { record, cursor, ledger } = view;
  const { order } = read;
  const believed = order.status === record.status && isBelieved(repeatsBefore(record, cursor), rules, now);
  const { confirmedStatus } = rules;
  const found = ledger.decision && withProven(ledger.decision, order, { isBelieved: believed, confirmedStatus });
  const next = nextReadAfter(order.pollAfterSeconds, rules, now);
  const proofs = { isBelieved: believed, decision: found?.decision, proven: found?.changed ?? [] };
  return { ...view, read, order, rules, now, next, ...proofs };
}

/** @throws UnexpectedResponse if the status cannot be handled. */
function nextStep(facts: Facts): Step {
  const { order, decision, ledger } = facts;
  const isOpen = openPositions(decision, order.offers ?? []).length > 0;
  switch (order.status) {
    case 'IN_WORK':
      return { todo: 'wait' };
    case 'WAITING_FOR_DOCUMENTS':
      return roundStep({ ...facts, kind: 'documents', fileIds: [], accept: ledger.accepts.documents ?? 'none' });
    case 'WAITING_FOR_SIGNATURE': {
      const fileIds = filesToSign(facts);
      return roundStep({ ...facts, kind: 'signatures', fileIds, accept: ledger.accepts.signatures ?? 'none' });
    }
    case 'OFFERS_AVAILABLE':
      // Another confirm would move the order on, and the bank may close it before the one of unknown outcome is settled.
      if (decision?.choices.some(holdsOthers)) return ANSWERED;
      if (isOpen) return { todo: 'confirm' };
      return decision?.choices.some(isUnsettled) ? ANSWERED : offersStep(facts);
    case 'OFFERS_APPROVED':
      if (isOpen) return { todo: 'confirm' };
      return settlesIfBelieved(facts) ? ANSWERED : { todo: 'wait' };
    default:
      // CLOSED, VALIDATION_FAILED, or a status that the choice state does not know: it ends the execution.
      return { todo: 'act' };
  }
}

/** Whether such reads, once believed, show what came of a confirm. If not, only the end of the order or the bank's word does. */
function settlesIfBelieved({ decision, order, rules: { confirmedStatus } }: Facts): boolean {
  return (
    decision !== undefined && withProven(decision, order, { isBelieved: true, confirmedStatus }).changed.length > 0
  );
}

/** @throws UnexpectedResponse if there are too many. */
function filesToSign({ order: { documents = [] }, record: { orderRef } }: Facts): string[] {
  if (documents.length <= MAX_DOCUMENTS_TO_SIGN) return documents.map(({ fileId }) => fileId);
  throw new UnexpectedResponse(
    `Order ${orderRef} lists ${documents.length} documents to sign. At most ${MAX_DOCUMENTS_TO_SIGN} can be signed in one round. Nothing was signed. Ask the order service for fewer at a time. A retry reads the order again.`,
  );
}

/** If no offer is AVAILABLE, the order waits for the service (docs/assumptions.md). */
function offersStep({ record, order: { offers = [] }, decision, isBelieved: believed, rules }: Facts): Step {
  // A restored record does not know a confirm that was done since.
  const isConfirmed = anyConfirmed(decision) || offers.some((offer) => offer?.status === rules.confirmedStatus);
  if (isConfirmed && !believed) return ANSWERED;
  if (isConfirmed) {
    throw new UnexpectedResponse(
      `Order ${record.orderRef} is still OFFERS_AVAILABLE after several reads, although a confirm was done. Ask the order service why. choices.json in staging says which offers were confirmed.`,
    );
  }
  const available = offers.some((offer) => offer?.status === 'AVAILABLE');
  return { todo: available && !isDecided(decision, offers) ? 'act' : 'wait' };
}

function planOf(facts: Facts, step: Step): Plan {
  const confirms = settledConfirms(facts);
  const accept = settledAccept(facts, step);
  const unsigned = unsignedLines(facts, accept.settled);
  const forget = askedBefore(facts, step);
  const record = changesOf(facts, step, { isAgain: forget !== undefined, isUnsigned: unsigned.length > 0 });
  return {
    settled: [...confirms.settled, ...accept.settled],
    lines: [...confirms.lines, ...accept.lines, ...unsigned, ...linesOf(facts)],
    ...(forget && { forget }),
    ...(record && { record }),
    output: outputAfter(facts, step, { isAgain: forget !== undefined, isChanged: record !== undefined }),
  };
}

/** What people are asked for in a status. */
const AWAITED: { [status: string]: Awaited['what'] } = {
  WAITING_FOR_SIGNATURE: 'signatures',
  OFFERS_AVAILABLE: 'decision',
};

/**
 * What people were asked for before, if the read shows that the order still waits for them. Such a wait ends every few hours and the
 * order is read, because its status may have changed, or a wake-up may have been lost.
 */
function askedBefore({ order: { status }, record }: Facts, { todo, round }: Step): Awaited['what'] | undefined {
  const what = AWAITED[status];
  if (todo !== 'act' || what === undefined) return undefined;
  return isAsked(record, what, what === 'decision' ? 1 : (round?.number ?? 0)) ? what : undefined;
}

function outputAfter(
  facts: Facts,
  step: Step,
  { isAgain, isChanged }: Record<'isAgain' | 'isChanged', boolean>,
): ReadOrderOutput {
  const { record, cursor, order, rules, now, next } = facts;
  const { status, offers = [] } = order;
  const repeats = status === record.status ? repeatsBefore(record, cursor) : undefined;
  const counted = step.isAnswered && oneMore(repeats, now);
  const files = step.todo === 'act' ? filesOf(facts, step) : 0;
  const what = AWAITED[status];
  const given = {
    todo: step.todo,
    status,
    // A read that must settle something comes as soon as the service allows.
    pollAfterSeconds:
      step.todo === 'wait' && !counted ? grownSeconds(facts) : settlingWait(next.pollAfterSeconds, repeats, now),
    nextReadAt: isChanged ? next.nextReadAt : (readNotBefore(record) ?? ''),
    repeats: counted?.reads ?? 0,
    known: step.todo === 'wait' ? knownAfter(facts, counted) : {},
    round: step.round?.number ?? 0,
    files,
    toConfirm: openPositions(facts.decision, offers),
    // Continuing a wait for people is no work on the offers.
    work: files + (isAgain ? 0 : offers.length),
    waitSeconds: what ? secondsOfWait(what, isAgain ? record.awaited?.since : undefined, { rules, now }) : 0,
  };
  return outputOf(facts, given);
}

/** How many documents are uploaded, or signed. */
function filesOf({ record, order }: Facts, { round }: Step): number {
  return order.status === 'WAITING_FOR_DOCUMENTS' ? record.documents.length : (round?.fileIds.length ?? 0);
}
