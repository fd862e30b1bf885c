import { setTimeout as pause } from 'node:timers/promises';
import type { OrderItem } from '../../core/order/order-item.ts';
import type { Choice } from '../../core/package/kept-decision.ts';
import { type Decision, stateOf } from '../../core/people/decision-states.ts';
import type { RejectedUpload } from '../../core/people/rejected-upload.ts';
import type { Buckets } from '../stage/buckets.ts';
import type { Connection } from '../stage/connection.ts';
import type { OrderDetails } from '../stage/record.ts';
import { type Answer, plain, REFUSED } from '../text.ts';
import { versionInIntake } from './put-decision.ts';

/** Milliseconds between two looks. */
const LOOK_EVERY = 1_000;

/** States of a choice that may still change while the order goes on. After 429, 503 or an outage, a confirm is sent again. */
const OPEN = ['chosen', 'not confirmed', 'outcome unknown', 'refused, outcome unknown'];

/**
 * Follows the decision that is in intake until each of its choices is confirmed or will not be.
 * @param answer what `confirm` answers at once.
 * @param print prints that before the wait, which may last as long as an outage.
 * @returns exit code 1 unless all are confirmed.
 */
export async function awaitOutcome(
  { record, buckets }: Pick<Connection, 'record' | 'buckets'>,
  orderRef: string,
  choices: readonly Choice[],
  answer: Answer,
  print?: (line: string) => void,
): Promise<Answer> {
  for (const line of answer.lines) print?.(line);
  const opened = await buckets();
  const file = await versionInIntake(opened, orderRef);
  for (;;) {
    const details = await record.details(orderRef);
    // A further decision may have followed at once, and left these choices as they are.
    const isTaken = details.order.decision.decided?.file === file || isKept(details.decision, choices);
    const outcome = isTaken ? outcomeOf(details, choices) : await refusalOf(opened, details, file);
    if (outcome) {
      const lines = outcome.lines.map(plain);
      const json = { ...(answer.json as object), outcome: lines };
      return { lines, json, exitCode: outcome.isConfirmed ? 0 : REFUSED };
    }
    await pause(LOOK_EVERY);
  }
}

function isKept(decision: Decision | undefined, choices: readonly Choice[]): boolean {
  const kept = (decision?.choices ?? []).map(({ choice }) => choice).filter(({ withdrawn }) => !withdrawn);
  return (
    choices.length > 0 &&
    choices.every((one) => kept.some(({ offerId, code }) => offerId === one.offerId && code === one.code))
  );
}

interface Outcome {
  lines: string[];
  isConfirmed: boolean;
}

function outcomeOf({ order, decision }: OrderDetails, choices: readonly Choice[]): Outcome | undefined {
  const states = choices.map(({ offerId }) => {
    const known = decision?.choices.find(({ choice }) => choice.offerId === offerId);
    return known ? stateOf(known, order.status) : 'not chosen';
  });
  const isStopped = order.waitingFor === 'operator' || order.waitingFor === 'nobody';
  if (!isStopped && states.some((state) => OPEN.includes(state))) return undefined;
  const lines = choices.map(({ offerId, code }, at) => `${offerId} (${code}): ${states[at]}.`);
  return {
    lines: [...lines, ...(isStopped ? [endOf(order)] : [])],
    isConfirmed: states.every((state) => state === 'confirmed'),
  };
}

const endOf = ({ orderRef, status, failure }: OrderItem) =>
  `Order ${orderRef} is ${status}${failure ? `, stopped by ${failure.error}` : ''}.`;

/** Why the order does not have the decision, if that is certain. */
async function refusalOf(
  buckets: Buckets,
  { order }: OrderDetails,
  file: string | undefined,
): Promise<Outcome | undefined> {
  const { orderRef, waitingFor } = order;
  const rejected = await buckets.staged<RejectedUpload>(orderRef, 'decision-rejected.json');
  if (rejected && rejected.versionId === file) {
    const found = rejected.problems.map(({ path, problem, fix }) => `${path}: ${problem} ${fix}`);
    return { lines: [`The decision on order ${orderRef} was rejected.`, ...found], isConfirmed: false };
  }
  if (waitingFor === 'operator' || waitingFor === 'nobody') return { lines: [endOf(order)], isConfirmed: false };
  return (await versionInIntake(buckets, orderRef)) === file
    ? undefined
    : { lines: [`Another decision on order ${orderRef} replaced this one.`], isConfirmed: false };
}
