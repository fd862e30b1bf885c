import { UnexpectedResponse } from '../errors.ts';
import { anyConfirmed, isDecided, openPositions } from '../offers/decision.ts';
import { withProven } from '../offers/proven-confirms.ts';
import { holdsOthers, isAllConfirmed, isUnsettled } from '../order/decision-states.ts';
import { dueOf } from '../order/due.ts';
import { type Awaited, isAsked, readNotBefore } from '../order/order-item.ts';
import { secondsOfWait } from '../order/waits.ts';
import { MAX_DOCUMENTS_TO_SIGN } from '../order/work-size.ts';
import { isBelieved, oneMore, settlingWait } from './believed.ts';
import { changesOf } from './changes.ts';
import { beforeRead, type Next, outputOf } from './output.ts';
import type { Answer, DecidedRead, Facts, Given, Plan, Read, Step, View } from './plan.ts';
import { grownSeconds, nextReadAfter, sleepOf } from './poll.ts';
import { roundStep } from './round.ts';
import type { ReadingRules } from './rules.ts';
import { linesOf, settledAccept, settledConfirms, unsignedLines } from './settled.ts';
import { withoutRead } from './without-read.ts';

const WAIT: Step = { todo: 'wait' };
const ANSWERED: Step = { todo: 'wait', isAnswered: true };

/**
 * Decides what an answer means (specification, section 3). The output is computed at the end.
 * @param now when the answer arrived, in milliseconds since the epoch.
 */
export function decide(view: View, answer: Answer, rules: ReadingRules, now: number): Plan {
  const { record, cursor, ledger } = view;
  const given = { record, ledger, before: beforeRead(record, cursor), rules, now };
  const isRead = answer.is === 'read';
  const { next, ...plan } = isRead ? afterRead(factsOf(given, answer)) : withoutRead(given, answer);
  const output = outputOf(view, isRead, next);
  const counted = output.known.strange ?? next.counted;
  if (output.todo !== 'continue' || !counted || plan.failure) return { ...plan, output };
  // An execution that hands over passes its counts on.
  const changes = { ...plan.record?.changes, repeats: { ...counted, generation: record.generation } };
  return { ...plan, record: { isDated: false, ...plan.record, changes }, output };
}

function factsOf(given: Given, read: Read): Facts {
  const { record, ledger, before, rules, now } = given;
  const { order } = read;
  const repeats = order.status === record.status ? before.repeats : undefined;
  const believed = isBelieved(repeats, rules, now);
  const { confirmedStatus } = rules;
  const found = ledger.decision && withProven(ledger.decision, order, { isBelieved: believed, confirmedStatus });
  const wait = nextReadAfter(order.pollAfterSeconds, rules, now);
  const proofs = { isBelieved: believed, decision: found?.decision, proven: found?.changed ?? [] };
  return { ...given, read, order, wait, repeats, ...proofs };
}

function afterRead(facts: Facts): DecidedRead {
  try {
    return planOf(facts, nextStep(facts));
  } catch (failure) {
    if (!(failure instanceof UnexpectedResponse)) throw failure;
    const { wait, repeats: counted } = facts;
    return { ...settledConfirms(facts), postpone: wait.nextReadAt, failure, next: { todo: 'wait', counted, ...wait } };
  }
}

/** @throws UnexpectedResponse if the status cannot be handled. */
function nextStep(facts: Facts): Step {
  const { order, decision, ledger, repeats } = facts;
  if (ledger.isQuiet) return repeats ? ANSWERED : WAIT;
  const isOpen = openPositions(decision, order.offers ?? []).length > 0;
  switch (order.status) {
    case 'IN_WORK':
      return WAIT;
    case 'WAITING_FOR_DOCUMENTS':
      return roundStep({ ...facts, kind: 'documents', fileIds: [], accept: ledger.accepts.documents ?? 'none' });
    case 'WAITING_FOR_SIGNATURE': {
      const fileIds = filesToSign(facts);
      return roundStep({ ...facts, kind: 'signatures', fileIds, accept: ledger.accepts.signatures ?? 'none' });
    }
    case 'OFFERS_AVAILABLE':
      // Another confirm would advance the order, and the bank may close it before the unknown outcome is settled.
      if (decision?.choices.some(holdsOthers)) return ANSWERED;
      if (isOpen) return { todo: 'confirm' };
      return decision?.choices.some(isUnsettled) ? ANSWERED : offersStep(facts);
    case 'OFFERS_APPROVED':
      if (isOpen) return { todo: 'confirm' };
      return settlesIfBelieved(facts) ? ANSWERED : WAIT;
    default:
      // CLOSED, VALIDATION_FAILED, or a status that the choice state does not know: it ends the execution.
      return { todo: 'act' };
  }
}

/** Whether such reads, once believed, show the outcome of a confirm. If not, only the order's end or the bank does. */
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
  // A restored record lacks later confirms.
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

/** What people are asked for in a status. */
const AWAITED: { [status: string]: Awaited['what'] } = {
  WAITING_FOR_SIGNATURE: 'signatures',
  OFFERS_AVAILABLE: 'decision',
};

function planOf(facts: Facts, step: Step): DecidedRead {
  const confirms = settledConfirms(facts);
  const accept = settledAccept(facts, step);
  const unsigned = unsignedLines(facts, accept.settled);
  const what = AWAITED[facts.order.status];
  const round = what === 'decision' ? 1 : (step.round?.number ?? 0);
  // A wait for people ends every few hours and the order is read: its status may have changed, or a wake-up may have been lost.
  const forget = what && step.todo === 'act' && isAsked(facts.record, what, round) ? what : undefined;
  const isAgain = forget !== undefined;
  const record = changesOf(facts, step, { isAgain, isUnsigned: unsigned.length > 0 });
  return {
    settled: [...confirms.settled, ...accept.settled],
    lines: [...confirms.lines, ...accept.lines, ...unsigned, ...linesOf(facts)],
    ...(forget && { forget }),
    ...(record && { record }),
    next: nextOf(facts, step, { isAgain, isChanged: record !== undefined }),
  };
}

function nextOf(
  facts: Facts,
  { todo, round, isAnswered }: Step,
  { isAgain, isChanged }: Record<'isAgain' | 'isChanged', boolean>,
): Next {
  const { record, order, decision, repeats, rules, now, wait } = facts;
  const { status, offers = [] } = order;
  const { version } = record.decision;
  const counted = isAnswered && oneMore(repeats, now);
  const asked = status === 'WAITING_FOR_DOCUMENTS' ? record.documents : (round?.fileIds ?? []);
  const files = todo === 'act' ? asked.length : 0;
  // The next read need not look these up. But an operator may report the outcome of an unknown confirm.
  const known = {
    ...(!decision?.choices.some(isUnsettled) && { decision: version }),
    ...(isAllConfirmed(decision) && { confirmed: version }),
  };
  // A read that must settle something comes as soon as the service allows.
  const isGrown = todo === 'wait' && !counted;
  const seconds = isGrown ? grownSeconds(facts) : settlingWait(wait.pollAfterSeconds, repeats, now);
  return {
    todo,
    status,
    counted,
    files,
    round: round?.number ?? 0,
    known: todo === 'wait' ? known : {},
    nextReadAt: isChanged ? wait.nextReadAt : (readNotBefore(record) ?? ''),
    // Only a long wait is always in the record.
    ...(wait.pollAfterSeconds > rules.longSeconds ? sleepOf(seconds) : { pollAfterSeconds: seconds }),
    toConfirm: openPositions(decision, offers),
    // Continuing a wait for people does not count as work on the offers.
    work: files + (isAgain ? 0 : offers.length),
    waitSeconds: secondsForPeople(facts, isAgain),
  };
}

function secondsForPeople({ record, order: { status, offers }, rules, now }: Facts, isAgain: boolean): number {
  const what = AWAITED[status];
  if (!what) return 0;
  const asked = { what, since: (isAgain && record.awaited?.since) || new Date(now).toISOString() };
  return secondsOfWait(asked, dueOf(asked, offers, rules), { rules, now });
}
