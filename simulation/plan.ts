import { Dice } from './dice.ts';

/** What the order's partner does, what fails on its way, and what its operator does. All delays are virtual seconds. */
export interface OrderPlan {
  orderRef: string;
  /** Scenario of the simulator; undefined for the ordinary way. */
  scenario: string | undefined;
  documents: { name: string; size: number }[];
  /** Uploaded in this order, each so long after the one before. */
  uploads: { file: string; delay: number }[];
  /** The first `order.json` can't be accepted; the good one follows after this long, or never. */
  broken: { correctedAfter: number | undefined } | undefined;
  /** A second version of `order.json` comes this long after the first. */
  secondVersionAfter: number | undefined;
  choose: 'rule' | 'manual';
  signing: { delay: number; early: boolean; replacedAfter: number | undefined };
  decision: { delay: number; early: boolean; nonsenseFirst: boolean; choices: number };
  serviceFaults: ServiceFault[];
  awsFaults: AwsFault[];
  kills: Kill[];
  /** By position among the order's events; the others are delivered once and at once. */
  deliveries: { position: number; delays: number[] }[];
  /** An operator aborts the execution this long after the first upload, and retries so long after that, often at once. */
  abort: { after: number; retryAfter: number } | undefined;
  /** Who decided changes their mind this long after that: the same offers, each with another of its credit options where it has one. */
  otherCodesAfter: number | undefined;
  /** Nobody looks after the order once it waits for an operator. */
  operatorAway: boolean;
}

export const serviceCalls = [
  ...['create', 'read', 'upload document', 'accept', 'download', 'upload signature', 'confirm'],
] as const;
export type ServiceCall = (typeof serviceCalls)[number];

export const serviceFaultKinds = [
  ...['connection refused', 'reset', 'timeout', '429', '429 with Retry-After', '500', '502', '503', '504'],
  ...['body cut in half', 'slow body', 'expired token', 'revoked token', 'rotated secret', 'stale read'],
] as const;
export type ServiceFaultKind = (typeof serviceFaultKinds)[number];

/** One fault of the order service: which call of the order, and which time it is made. */
export interface ServiceFault {
  kind: ServiceFaultKind;
  call: ServiceCall;
  occurrence: number;
  /** Whether the service has done its part; of a slow body, whether it takes longer than we wait. */
  after: boolean;
  /** How many times in a row. */
  times: number;
}

export interface AwsFault {
  service: 'DynamoDB' | 'S3' | 'Secrets Manager';
  kind: 'throttled' | 'failed' | 'reset';
  /** The position of the first request that fails among the order's own requests to this service. */
  position: number;
  times: number;
  after: boolean;
}

/** The function is killed at its n-th request to anybody, before or after that was carried out. */
export interface Kill {
  functionName: string;
  request: number;
  after: boolean;
}

const killable = [
  ...['intake', 'create-order', 'read-order', 'upload-document', 'accept-order', 'download-document'],
  ...['await-signatures', 'receive', 'upload-signature', 'choose-offer', 'confirm-offer', 'record-end'],
];

/** Everything that happens to one order. The same seed and reference give the same plan, whatever other orders there are. */
export function planOrder(seed: string, orderRef: string): OrderPlan {
  const dice = new Dice(seed, orderRef);
  const documents = dice.several(1, dice.chance(0.3) ? 3 : 1, () => ({
    name: `document-${dice.between(1, 1e9)}.pdf`,
    size: dice.between(1, 4_000),
  }));
  const files = ['order.json', ...documents.map(({ name }) => `documents/${name}`)];
  const scenario = dice.weighted({
    ...{
      'as usual': 32,
      'validation-fails-at-once': 18,
      'validation-fails-after-documents': 14,
      'no-offer-approved': 8,
    },
    ...{ 'more-documents-to-sign': 12, 'second-signing-round': 10, 'slow-processing': 6 },
    'documents-again': 4,
  });
  const maybe = <Value>(probability: number, value: () => Value) => (dice.chance(probability) ? value() : undefined);
  return {
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
    kills: dice.chance(0.05) ? [kill(dice)] : [],
    deliveries: dice.chance(0.4) ? dice.several(1, 3, () => delivery(dice)) : [],
    abort: maybe(0.08, () => ({
      after: dice.between(0, 120),
      retryAfter: dice.chance(0.5) ? 0 : dice.between(1, 600),
    })),
    operatorAway: dice.chance(0.05),
    otherCodesAfter: maybe(0.15, () => dice.between(0, 60)),
  };
}

const callWeights: Record<ServiceCall, number> = {
  ...{ create: 10, read: 25, 'upload document': 15, accept: 18, download: 8, 'upload signature': 12, confirm: 12 },
};

const kindWeights: Record<ServiceFaultKind, number> = {
  ...{
    'connection refused': 5,
    reset: 16,
    timeout: 2,
    '429': 6,
    '429 with Retry-After': 8,
    '500': 8,
    '502': 8,
    '503': 8,
  },
  ...{ '504': 8, 'body cut in half': 8, 'slow body': 4, 'expired token': 3, 'revoked token': 2, 'rotated secret': 1 },
  'stale read': 10,
};

function serviceFault(dice: Dice): ServiceFault {
  const kind = dice.weighted(kindWeights);
  const call = kind === 'stale read' ? 'read' : dice.weighted(callWeights);
  const occurrence = call === 'read' ? dice.between(1, 6) : dice.between(1, 2);
  return { kind, call, occurrence, after: dice.chance(0.5), times: dice.chance(0.85) ? 1 : dice.between(2, 3) };
}

function awsFault(dice: Dice): AwsFault {
  const service = dice.weighted({ DynamoDB: 60, S3: 30, 'Secrets Manager': 5 });
  const position = dice.between(1, { DynamoDB: 90, S3: 35, 'Secrets Manager': 1 }[service]);
  const kind = dice.pick(['throttled', 'failed', 'reset'] as const);
  return { service, kind, position, times: dice.between(1, 4), after: dice.chance(0.4) };
}

function kill(dice: Dice): Kill {
  const request = dice.chance(1 / 3) ? dice.between(8, 15) : dice.between(1, 7);
  return { functionName: dice.pick(killable), request, after: dice.chance(0.5) };
}

/** Lost events do not happen: S3 and EventBridge deliver at least once. */
function delivery(dice: Dice): OrderPlan['deliveries'][number] {
  const delay = () => (dice.chance(0.4) ? 0 : dice.between(1, 900));
  return { position: dice.between(1, 10), delays: dice.several(1, 3, delay) };
}
