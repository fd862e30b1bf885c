import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { Choice } from '../../../core/package/kept-decision.ts';
import { documentBytes } from '../people/partner.ts';
import { isKill } from '../plan/order-plan.ts';
import { BEGINNING } from '../world/schedule.ts';
import { type CheckedOrder, hasLeft, recordOf } from './checked-order.ts';
import { choicesProblems, ledgerProblems } from './ledger-checks.ts';
import { signatureProblems } from './signature-checks.ts';
import type { Failure } from './witness.ts';

export interface Violation {
  orderRef: string;
  what: string;
}

export function checkOrder(checked: CheckedOrder): { outcome: string; violations: Violation[] } {
  const { plan, orders } = checked;
  const { outcome, problems } = ending(checked);
  const [order] = orders;
  if (orders.length > 1) problems.push(`it was created ${orders.length} times`);
  const violations = () => problems.map((what) => ({ orderRef: plan.orderRef, what }));
  if (checked.over !== undefined) {
    problems.push(...overProblems(checked), ...pollProblems(checked));
    return { outcome: 'dismissed', violations: violations() };
  }
  problems.push(...checked.seen);
  problems.push(...[failureProblems, decisionProblems, pageProblems].flatMap((check) => check(checked)));
  if (order) {
    const ofService = [
      documentProblems,
      signatureProblems,
      offerProblems,
      pollProblems,
      delayProblems,
      recordProblems,
      ledgerProblems,
      choicesProblems,
    ];
    problems.push(...ofService.flatMap((check) => check(checked, order)));
  }
  return { outcome, violations: violations() };
}

function ending(checked: CheckedOrder): { outcome: string; problems: string[] } {
  const { plan, running, rejected } = checked;
  const problems = running ? ['an execution of it is still running'] : [];
  const record = recordOf(checked);
  if (!record) {
    if (!rejected) problems.push('its package was neither started nor rejected');
    else if (!plan.broken) problems.push('its package was rejected although it is good');
    return { outcome: rejected ? 'package rejected' : 'lost', problems };
  }
  const { status, waitingFor, failure } = record;
  if (waitingFor === 'nobody') return { outcome: status, problems };
  if (waitingFor !== 'operator')
    problems.push(`it has stopped and no operator sees it: ${status}, waiting for ${waitingFor}`);
  else if (!failure?.cause) problems.push('it waits for an operator without saying why');
  const isUnknown = plan.badDay?.down === 'create' && failure?.error === 'OutcomeUnknown';
  if (plan.badDay && !isUnknown && waitingFor === 'operator')
    problems.push(`it needs an operator after an outage: ${failure?.error}`);
  if (plan.hoursToEnd && waitingFor === 'operator') problems.push(`it needs an operator: ${failure?.cause}`);
  // A present operator retries until the order continues, so docs/operations.md did not help if it still waits.
  if (waitingFor === 'operator' && !plan.operatorAway)
    problems.push(`it waits for an operator although one was present: ${failure?.error}`);
  return { outcome: `waits for an operator: ${failure?.error}`, problems };
}

function documentProblems({ plan }: CheckedOrder, order: SimulatedOrder): string[] {
  const wanted = plan.documents.map(({ name }, position) => {
    const sha256 = createHash('sha256')
      .update(documentBytes(plan, `documents/${name}`))
      .digest('hex');
    return `document-${position} ${sha256}`;
  });
  const arrived = order.uploadedDocuments.map(({ sourceEntityId, file }) => `${sourceEntityId} ${file.sha256}`);
  const missing = hasLeft(order, 'WAITING_FOR_DOCUMENTS') ? wanted.filter((one) => !arrived.includes(one)) : [];
  const wrong = arrived.filter((one) => !wanted.includes(one));
  return [
    ...missing.map((one) => `${one.split(' ')[0]} did not arrive with the right bytes`),
    ...wrong.map((one) => `${one.split(' ')[0]} arrived with wrong bytes`),
  ];
}

function offerProblems({ plan, acts, confirmedStatus }: CheckedOrder, order: SimulatedOrder): string[] {
  const chosen = plan.choose === 'manual' ? acts.chosen : byRule(order, confirmedStatus);
  const same = (one: Choice) => (other: Choice) => one.offerId === other.offerId && one.code === other.code;
  const { confirmations } = order;
  const unwanted = confirmations.filter((confirmation) => !chosen.some(same(confirmation)));
  const again = confirmations.filter(
    ({ offerId }, position) => confirmations.findIndex((other) => other.offerId === offerId) < position,
  );
  const mustHaveSome = order.scenario !== 'no-offer-approved' && plan.closedAfter === undefined;
  const none = order.status === 'CLOSED' && mustHaveSome && confirmations.length === 0;
  return [
    ...unwanted.map(({ offerId, code }) => `offer ${offerId} was confirmed with ${code}, which nobody chose`),
    ...again.map(({ offerId }) => `offer ${offerId} was confirmed twice`),
    ...(none ? ['it was closed without any chosen offer confirmed'] : []),
  ];
}

/** What the rule of the simulation's packages chooses. */
function byRule({ offers }: SimulatedOrder, confirmedStatus: string): Choice[] {
  const approved = offers.filter(({ status }) => status === 'AVAILABLE' || status === confirmedStatus);
  return approved.slice(0, 2).map(({ offerId, creditOptions }) => ({ offerId, code: creditOptions[0]?.code ?? '' }));
}

function pollProblems({ calls }: CheckedOrder): string[] {
  return calls.flatMap(({ earlyBySeconds, sequence }) =>
    earlyBySeconds === undefined ? [] : [`call ${sequence} polled ${earlyBySeconds} s too early`],
  );
}

function recordProblems(checked: CheckedOrder, order: SimulatedOrder): string[] {
  const record = recordOf(checked);
  if (!record) return ['the service has the order, but we have no record of it'];
  const problems: string[] = [];
  if (record.orderId !== undefined && record.orderId !== order.orderId)
    problems.push('our record has a different orderId');
  if (record.waitingFor === 'nobody' && record.status !== order.status)
    problems.push(`our record says ${record.status}, but the service says ${order.status}`);
  return problems;
}

/** Milliseconds: a call that was under way when the order was dismissed has arrived by then. */
const UNDER_WAY = 15_000;

/** A dismissed order goes on only after a retry, which no operator makes here. */
function overProblems({ over, calls }: CheckedOrder): string[] {
  const late = calls.filter(({ at }) => over !== undefined && at > over + UNDER_WAY);
  return late.map(({ method, path }) => `${method} ${path} was sent after the order was dismissed`);
}

/** In the end, `status.json` says what the record says. */
function pageProblems(checked: CheckedOrder): string[] {
  const record = recordOf(checked);
  const { statusPage: page } = checked;
  if (!record || record.removal) return [];
  if (!page) return ['it has no status.json'];
  const isSame = (['status', 'waitingFor', 'failure'] as const).every((name) =>
    isDeepStrictEqual(page[name], record[name]),
  );
  return isSame ? [] : [`status.json says ${page.status}, waiting for ${page.waitingFor}, but it is ${record.status}`];
}

/** Every uploaded `decision.json` is a line of the timeline, unless its event or its function was interrupted. */
function decisionProblems(checked: CheckedOrder): string[] {
  const { plan, acts, items } = checked;
  const mayLack =
    plan.lostEvent !== undefined ||
    plan.interruptions.some(isKill) ||
    plan.awsFaults.length > 0 ||
    plan.badDay ||
    plan.restored;
  if (mayLack || recordOf(checked)?.removal) return [];
  const told = new Set(items.map(({ file }) => file));
  return acts.decisions.flatMap((version, at) =>
    told.has(version) ? [] : [`decision ${at + 1} of ${acts.decisions.length} is in no line of its timeline`],
  );
}

/** Checks that no execution failed without a reason. A retry would hide such a failure. */
export function failureProblems(checked: CheckedOrder): string[] {
  const without = checked.history.failures.filter((failure) => isWithoutReason(failure, checked));
  return [...new Set(without.map(({ error }) => `it failed as ${error} although there was no reason for it`))];
}

function isWithoutReason({ error, cause }: Failure, { plan }: CheckedOrder): boolean {
  if (error === 'SigningKeyUnusable') return !plan.awsFaults.some(({ kind }) => kind === 'refused');
  if (error === 'DocumentChanged') return plan.replacedDocumentAfter === undefined;
  if (error === 'ValidationException') return true;
  // The same unknown status for as long as a read may be stale is a verdict.
  const isKnown = plan.serviceFaults.reduce((sum, { kind, times }) => sum + (kind === 'status UP' ? times : 0), 0) < 3;
  return error === 'UnexpectedResponse' && cause.includes('Read order') && isKnown;
}

/** The longest time until the next read of an order that waits for people (`WAIT_RECHECK_SECONDS`), and some more. */
const LONGEST_UNSEEN = 3 * 86_400_000;

/** Checks that nothing held up the confirms and the end of the order. */
export function delayProblems({ plan, history }: CheckedOrder, { offers, progress }: SimulatedOrder): string[] {
  const stillThere = offers.filter(({ status }) => status !== 'EXPIRED').map(({ offerId }) => offerId);
  const untried = [...new Set(history.untried)].filter((offerId) => stillThere.includes(offerId));
  const closed = progress.history.find(({ status }) => status === 'CLOSED')?.at ?? Number.POSITIVE_INFINITY;
  const isSlow = plan.hoursToEnd !== undefined && closed - BEGINNING > plan.hoursToEnd * 3_600_000;
  const isLate = (history.closedAt ?? 0) - closed > LONGEST_UNSEEN;
  return [
    ...untried.map((offerId) => `a refused confirm stopped the confirm of ${offerId}`),
    ...(isSlow ? [`it was not CLOSED within ${plan.hoursToEnd} hours`] : []),
    ...(isLate ? ['our record learned days later that the order was closed'] : []),
  ];
}
