import { Dice } from './dice.ts';
import { type OrderPlan, type PlanOption, plainPlan } from './order-plan.ts';
import {
  awsFault,
  delivery,
  kill,
  oddFault,
  oddPolls,
  planActs,
  planChanges,
  planEvents,
  planHandOver,
  planPauses,
  planPolls,
  planSigner,
  planTelling,
  serviceFault,
} from './plan-faults.ts';

/** Everything that happens to one order. The same seed and orderRef give the same plan, whatever other orders there are. */
export function planOrder(seed: string, orderRef: string, options: readonly PlanOption[] = []): OrderPlan {
  if (options.includes('bad-day')) return planOnBadDay(seed, orderRef);
  if (options.includes('restored-table')) return planOnRestoredDay(seed, orderRef);
  const dice = new Dice(seed, orderRef);
  const documents = dice.several(1, dice.chance(0.3) ? 3 : 1, () => ({
    name: `document-${dice.between(1, 1e9)}.pdf`,
    size: dice.between(1, 4_000),
  }));
  const files = ['order.json', ...documents.map(({ name }) => `documents/${name}`)];
  const scenario = dice.weighted({
    'as usual': 32,
    'validation-fails-at-once': 18,
    'validation-fails-after-documents': 14,
    'no-offer-approved': 8,
    'more-documents-to-sign': 12,
    'second-signing-round': 10,
    'slow-processing': 6,
    'documents-again': 4,
  });
  const maybe = <Value>(probability: number, value: () => Value) => (dice.chance(probability) ? value() : undefined);
  const plan = {
    orderRef,
    scenario: scenario === 'as usual' ? undefined : scenario,
    documents,
    uploads: dice.shuffled(files).map((file) => ({ file, delay: dice.chance(0.7) ? 0 : dice.between(1, 90) })),
    broken: maybe(0.06, () => ({ correctedAfter: maybe(0.5, () => dice.between(60, 600)) })),
    secondVersionAfter: maybe(0.06, () => dice.between(1, 300)),
    choose: dice.weighted({ rule: 60, manual: 40 }),
    signing: {
      delay: dice.chance(0.5) ? 0 : dice.between(1, 3 * 86_400),
      early: dice.chance(0.2),
      replacedAfter: maybe(0.1, () => dice.between(0, 20)),
    },
    decision: {
      delay: dice.chance(0.5) ? 0 : dice.between(1, 3 * 86_400),
      early: dice.chance(0.3),
      nonsenseFirst: dice.chance(0.15),
      choices: dice.chance(0.7) ? 1 : dice.between(2, 3),
    },
    serviceFaults: dice.chance(0.8) ? dice.several(1, 2, () => serviceFault(dice)) : [],
    awsFaults: dice.chance(0.35) ? dice.several(1, 2, () => awsFault(dice)) : [],
    interruptions: dice.chance(0.05) ? [kill(dice)] : [],
    deliveries: dice.chance(0.4) ? dice.several(1, 3, () => delivery(dice)) : [],
    abort: maybe(0.08, () => ({
      after: dice.between(0, 120),
      retryAfter: dice.chance(0.5) ? 0 : dice.between(1, 600),
    })),
    operatorAway: dice.chance(0.05),
    otherCodesAfter: maybe(0.15, () => Math.max(1, dice.between(0, 60))),
    ...planChanges(new Dice(seed, orderRef, 'changes')),
    polls: planPolls(new Dice(seed, orderRef, 'polls')),
    ...planOptional(new Dice(seed, orderRef, 'optional'), options),
  };
  const signing = planSigner(new Dice(seed, orderRef, 'signer'));
  const telling = planTelling(new Dice(seed, orderRef, 'telling'));
  const acts = planActs(new Dice(seed, orderRef, 'acts'));
  const pauses = planPauses(new Dice(seed, orderRef, 'pauses'));
  const { lostEvent, deliveries } = planEvents(new Dice(seed, orderRef, 'events'));
  const ofStepFunctions = new Dice(seed, orderRef, 'step functions');
  const odd = new Dice(seed, orderRef, 'odd answers');
  const restarts = ofStepFunctions.chance(0.1) ? [awsFault(ofStepFunctions, 'Step Functions')] : [];
  return {
    ...plan,
    serviceFaults: [...plan.serviceFaults, ...(odd.chance(0.3) ? [oddFault(odd)] : [])],
    polls: [...plan.polls, ...(odd.chance(0.1) ? [{ occurrence: odd.between(1, 6), ...odd.pick(oddPolls) }] : [])],
    signer: signing.signer,
    lostEvent,
    deliveries: [...deliveries, ...plan.deliveries],
    interruptions: [...plan.interruptions, ...signing.interruptions, ...telling.interruptions, ...acts, ...pauses],
    awsFaults: [...plan.awsFaults, ...restarts, ...signing.awsFaults, ...telling.awsFaults],
    showsNoConfirms: new Dice(seed, orderRef, 'confirms').chance(0.05),
    handOverAfter: planHandOver(new Dice(seed, orderRef, 'hand-over'), plan),
  };
}

function planOptional(dice: Dice, options: readonly PlanOption[]): Pick<OrderPlan, 'closedAfter' | 'furtherDecisions'> {
  const [closedAfter, further] = [dice.between(0, 90), dice.several(1, 3, () => dice.between(0, 4) / 4)];
  return {
    closedAfter: options.includes('closed-by-bank') && dice.chance(0.3) ? closedAfter : undefined,
    furtherDecisions: options.includes('quick-decisions') ? further : [],
  };
}

const DAY = 86_400;

/** No operator is there (faults/bad-day.ts). It meets nothing else unusual, so it must end by itself. */
function planOnBadDay(seed: string, orderRef: string): OrderPlan {
  const dice = new Dice(seed, orderRef, 'bad day');
  const plan = plainPlan(orderRef);
  return {
    ...plan,
    scenario: dice.chance(0.15) ? 'validation-fails-after-documents' : undefined,
    choose: dice.chance(0.5) ? 'rule' : 'manual',
    signer: dice.chance(0.2) ? 'KMS' : 'partner',
    signing: { ...plan.signing, delay: dice.chance(0.5) ? 0 : dice.between(1, DAY) },
    decision: { ...plan.decision, delay: dice.chance(0.5) ? 0 : dice.between(1, DAY) },
    badDay: { startsAfter: dice.between(0, DAY) },
    operatorAway: true,
  };
}

/** Seconds from the beginning of the day. People act at the full quarters of a day, so many orders go on in the hour that is lost. */
export const RESTORED_TO = 17.4 * 3_600;
export const PAUSED_AT = 18.3 * 3_600;
export const RESTORED_AT = 18.5 * 3_600;

/** What is slow about the service on such a day, so that there are orders in every status. Seconds. */
export const SLOW_SERVICE = { pollAfterSeconds: 30, processingSeconds: 900, bankSeconds: 900 };

/** It comes at any time of the day, or as likely in the last three hours (faults/restored-table.ts). */
function planOnRestoredDay(seed: string, orderRef: string): OrderPlan {
  const dice = new Dice(seed, orderRef, 'restored day');
  const plan = plainPlan(orderRef);
  const scenario = dice.weighted({
    'as usual': 60,
    'validation-fails-at-once': 5,
    'validation-fails-after-documents': 5,
    'no-offer-approved': 5,
    'second-signing-round': 15,
    'documents-again': 10,
  });
  const isLate = dice.chance(0.5);
  const delay = () => (dice.chance(0.4) ? 0 : dice.between(1, 12 * 3_600));
  return {
    ...plan,
    scenario: scenario === 'as usual' ? undefined : scenario,
    choose: dice.chance(0.5) ? 'rule' : 'manual',
    signer: dice.chance(0.2) ? 'KMS' : 'partner',
    signing: { ...plan.signing, delay: delay() },
    decision: { ...plan.decision, delay: delay(), choices: dice.between(1, 2) },
    restored: {
      startsAfter: dice.between(isLate ? RESTORED_AT - 3 * 3_600 : 0, PAUSED_AT),
      losesExecution: dice.chance(0.5),
    },
  };
}

export function isRestoredDay(plans: ReadonlyMap<string, OrderPlan>): boolean {
  return [...plans.values()].some(({ restored }) => restored !== undefined);
}
