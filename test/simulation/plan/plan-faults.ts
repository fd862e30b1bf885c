import { oddAnswers } from '../faults/odd-answers.ts';
import type { Dice } from './dice.ts';
import {
  type AwsFault,
  callWeights,
  type GoesBack,
  type Interruption,
  isOfReads,
  kindWeights,
  type OddKind,
  type OperatorAct,
  type OrderPlan,
  plainPlan,
  type ServiceCall,
  type ServiceFault,
} from './order-plan.ts';

const killable = [
  'check-package',
  'create-order',
  'read-order',
  'upload-document',
  'accept-order',
  'download-document',
  'await-signatures',
  'receive-upload',
  'upload-signature',
  'choose-offer',
  'confirm-offer',
  'record-end',
];

/** They change the order, so they tell others of it. */
const tellers = ['check-package', 'create-order', 'read-order', 'await-signatures', 'choose-offer', 'record-end'];

export function serviceFault(dice: Dice): ServiceFault {
  const kind = dice.weighted(kindWeights);
  const call = isOfReads(kind) ? 'read' : dice.weighted(callWeights);
  const occurrence = call === 'read' ? dice.between(1, 6) : dice.between(1, 2);
  return { kind, call, occurrence, after: dice.chance(0.5), times: dice.chance(0.85) ? 1 : dice.between(2, 3) };
}

/** One odd answer. A token is asked for as soon as an order needs it. */
export function oddFault(dice: Dice, kind = dice.pick(Object.keys(oddAnswers) as OddKind[])): ServiceFault {
  const { calls = [], times = 1 } = oddAnswers[kind] ?? {};
  const asked = dice.pick(calls);
  const call = asked === 'token' ? 'read' : asked;
  return { kind, call, occurrence: dice.between(1, call === 'read' ? 6 : 2), after: dice.chance(0.2), times };
}

export const helpless = (orderRef: string, given: Partial<OrderPlan>, hoursToEnd = 20): OrderPlan =>
  plainPlan(orderRef, { operatorAway: true, hoursToEnd, ...given });

/** A document is in an archive class, then it comes again. */
const charter = { file: 'documents/charter.pdf', delay: 0 };
export const archived = helpless('archived', {
  documents: [{ name: 'charter.pdf', size: 100 }],
  uploads: [
    { ...charter, isArchived: true },
    { file: 'order.json', delay: 0 },
    { ...charter, delay: 600 },
  ],
});

export function oddOrder(kind: OddKind, asked: ServiceCall | 'token'): OrderPlan {
  const call = asked === 'token' ? 'read' : asked;
  const fault = { kind, call, occurrence: call === 'read' ? 3 : 1, after: false, times: oddAnswers[kind]?.times ?? 1 };
  const name = `${kind} ${asked}`.replaceAll(/\W+/g, '-');
  return helpless(name, { serviceFaults: [fault] }, /16 hours|token/.test(kind) ? 120 : 20);
}

/** About so many requests to each service are made for an order. Few make more to Step Functions than a start and the ends of two waits. */
const requests: Record<AwsFault['service'], number> = {
  DynamoDB: 90,
  S3: 35,
  'Secrets Manager': 1,
  'Step Functions': 3,
  KMS: 3,
  EventBridge: 8,
};

/** A fault of this service, or of one that every order needs often. */
export function awsFault(
  dice: Dice,
  service: AwsFault['service'] = dice.weighted({ DynamoDB: 60, S3: 30, 'Secrets Manager': 5 }),
): AwsFault {
  const position = dice.between(1, requests[service]);
  const kinds = ['throttled', 'failed', 'reset'] as const;
  const kind = dice.pick(service === 'KMS' || service === 'EventBridge' ? [...kinds, 'refused' as const] : kinds);
  const times = dice.between(1, 4);
  return { service, kind, position, times, after: dice.chance(0.4) && kind !== 'refused' };
}

export function kill(dice: Dice): Interruption {
  const request = dice.chance(1 / 3) ? dice.between(8, 15) : dice.between(1, 7);
  return { functionName: dice.pick(killable), request, after: dice.chance(0.5) };
}

/** Telling others of a change fails, or its function is killed just before or after it. */
export function planTelling(dice: Dice): Pick<OrderPlan, 'awsFaults' | 'interruptions'> {
  const [fails, isKilled] = [dice.chance(0.2), dice.chance(0.02)];
  const interruption = { functionName: dice.pick(tellers), request: dice.between(1, 3), after: dice.chance(0.5) };
  return {
    awsFaults: fails ? [awsFault(dice, 'EventBridge')] : [],
    interruptions: isKilled ? [{ ...interruption, telling: true }] : [],
  };
}

/** None where stale or repeated reads would wait forever: each execution counts handled reads from zero. */
export function planHandOver(dice: Dice, plan: Pick<OrderPlan, 'scenario' | 'serviceFaults' | 'goesBack'>) {
  const { scenario, serviceFaults, goesBack } = plan;
  const isAskedTwice = scenario === 'documents-again' || goesBack !== undefined;
  const isPlain = !isAskedTwice && !serviceFaults.some(({ kind }) => kind === 'stale read');
  return isPlain && dice.chance(0.2) ? dice.between(2, 6) : undefined;
}

/** An event may be lost while the order waits for people: the wait ends at its deadline, and an operator retries. Or events are very late. */
export function planEvents(dice: Dice): Pick<OrderPlan, 'lostEvent' | 'deliveries'> {
  const late = () => ({ position: dice.between(1, 10), delays: [dice.between(3_600, 2 * 86_400)] });
  return {
    lostEvent: dice.chance(0.05) ? dice.between(1, 3) : undefined,
    deliveries: dice.chance(0.05) ? dice.several(1, 3, late) : [],
  };
}

export function planPolls(dice: Dice): OrderPlan['polls'] {
  if (!dice.chance(0.3)) return [];
  return dice.several(1, 3, () => ({ occurrence: dice.between(1, 8), seconds: dice.pick([3, 11, 45]) }));
}

/** What is no whole number of seconds has a meaning, too (docs/assumptions.md). */
export const oddPolls = [
  ...[11.3, '11.3'].map((written) => ({ seconds: 12, written })),
  ...[-5, '-5', ' ', 'soon', null, []].map((written) => ({ seconds: 10, written })),
];

/** Functions pause, often for less than three seconds, so that other events overlap with them. */
export function planPauses(dice: Dice): Interruption[] {
  if (!dice.chance(0.5)) return [];
  return dice.several(1, 3, () => ({
    functionName: dice.pick(killable),
    request: dice.between(1, 10),
    after: dice.chance(0.5),
    seconds: dice.chance(0.6) ? dice.between(1, 29) / 10 : dice.between(3, 8),
  }));
}

/** What an operator does one after the other, while a function of the order is at work. */
export const waysToAct: readonly (readonly OperatorAct[])[] = [
  ['stop', 'redrive'],
  ['stop', 'redrive', 'stop', 'redrive'],
  ['stop', 'redrive', 'redrive'],
  ['stop', 'redrive', 'sweep'],
  ['stop', 'sweep', 'redrive'],
  ['stop', 'start', 'start'],
  ['stop', 'start', 'redrive', 'retry'],
  ['stop', 'dismiss', 'redrive'],
  ['stop', 'erase', 'redrive', 'start'],
];

/** An operator acts while a function makes one of its requests, or has just made it. */
export function planActs(dice: Dice): Interruption[] {
  if (!dice.chance(0.1)) return [];
  const acts = dice.pick(waysToAct);
  return [
    { functionName: dice.pick(killable), request: dice.between(1, 6), after: dice.chance(0.5), seconds: 2, acts },
  ];
}

/** No copy is lost, because S3 and EventBridge deliver at least once. */
export function delivery(dice: Dice): OrderPlan['deliveries'][number] {
  const delay = () => (dice.chance(0.4) ? 0 : dice.between(1, 900));
  return { position: dice.between(1, 10), delays: dice.several(1, 3, delay) };
}

/** Where the service may go back from, and what it may ask for again. */
const waysBack: readonly Omit<GoesBack, 'after'>[] = [
  { from: 'WAITING_FOR_DOCUMENTS', outcomes: ['WAITING_FOR_DOCUMENTS'] },
  { from: 'WAITING_FOR_SIGNATURE', outcomes: ['WAITING_FOR_SIGNATURE'] },
  { from: 'WAITING_FOR_SIGNATURE', outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE'] },
  { from: 'OFFERS_AVAILABLE', outcomes: ['OFFERS_AVAILABLE'] },
  { from: 'OFFERS_AVAILABLE', outcomes: ['WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'] },
  { from: 'OFFERS_AVAILABLE', outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'] },
];

export function planChanges(dice: Dice): Pick<OrderPlan, 'replacedDocumentAfter' | 'goesBack' | 'withdrawnOffer'> {
  const goesBack = { ...dice.pick(waysBack), after: dice.chance(0.5) ? 0 : dice.between(1, 90) };
  const withdrawnOffer = { at: dice.pick(['read', 'confirm'] as const), isRemoved: dice.chance(0.5) };
  return {
    // The first download stages a document. The next one compares it, just before its signature is sent.
    replacedDocumentAfter: dice.chance(0.06) ? dice.between(1, 3) : undefined,
    goesBack: dice.chance(0.08) ? goesBack : undefined,
    withdrawnOffer: dice.chance(0.08) ? withdrawnOffer : undefined,
  };
}

/** Some orders are signed with KMS. Most of them meet faults of KMS, or their function is slow or killed while it signs. */
export function planSigner(dice: Dice): Pick<OrderPlan, 'signer' | 'awsFaults' | 'interruptions'> {
  if (!dice.chance(0.15)) return { signer: 'partner', awsFaults: [], interruptions: [] };
  const interruption = () => ({
    functionName: 'sign-documents',
    request: dice.between(1, 12),
    after: dice.chance(0.5),
  });
  return {
    signer: 'KMS',
    awsFaults: dice.chance(0.7) ? [awsFault(dice, 'KMS')] : [],
    interruptions: [
      ...(dice.chance(0.05) ? [interruption()] : []),
      ...(dice.chance(0.3) ? [{ ...interruption(), seconds: dice.between(1, 8) }] : []),
    ],
  };
}
