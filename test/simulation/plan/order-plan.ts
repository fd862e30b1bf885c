import type { OrderStatus, Outcome } from '@business-loan-orders/order-simulator';

/** What the partner and the operator of an order do, and which faults it meets. All delays are virtual seconds. */
export interface OrderPlan {
  orderRef: string;
  /** Scenario of the simulator; undefined for the normal course. */
  scenario?: string | undefined;
  documents: { name: string; size: number }[];
  /** The files in the sequence of their uploads, each with its delay after the one before. Nobody can read one that is archived. */
  uploads: { file: string; delay: number; isArchived?: true }[];
  /** The first `order.json` is invalid. The valid one follows after this delay, or never. */
  broken?: { correctedAfter: number | undefined } | undefined;
  /** A second version of `order.json` is uploaded this long after the first. */
  secondVersionAfter?: number | undefined;
  choose: 'rule' | 'manual';
  /** Who signs the documents. The plan of the partner's signing has no effect if it is KMS. */
  signer: 'partner' | 'KMS';
  signing: { delay: number; early: boolean; replacedAfter: number | undefined };
  /** After so many downloads, the service hands out other bytes for the same `fileId`. */
  replacedDocumentAfter?: number | undefined;
  /** So many seconds after the first read of this status, the service goes back to IN_WORK, and from there takes these outcomes. */
  goesBack?: GoesBack | undefined;
  /** After the first read of OFFERS_AVAILABLE, or just before the first confirm, an offer is removed or expires. */
  withdrawnOffer?: { at: 'read' | 'confirm'; isRemoved: boolean } | undefined;
  decision: { delay: number; early: boolean; nonsenseFirst: boolean; choices: number };
  serviceFaults: ServiceFault[];
  awsFaults: AwsFault[];
  interruptions: Interruption[];
  /** The service shows a confirmed offer as before. Reads cannot tell then which of several were confirmed. */
  showsNoConfirms?: boolean;
  /** Reads of the order that get a different `pollAfterSeconds`, `written` in another way than the number of seconds that it means. */
  polls: { occurrence: number; seconds: number; written?: unknown }[];
  /** Executions hand over after this many reads. */
  handOverAfter?: number | undefined;
  /** The position of the signature or decision whose event is lost. */
  lostEvent?: number | undefined;
  /** The bank closes the order this long after its offers, whatever was decided. */
  closedAfter?: number | undefined;
  /** Delays of further decisions, each after the one before, with another offer or code. */
  furtherDecisions: number[];
  /** Delays of all copies of an event, by its position among the order's events. Other events are delivered once and at once. */
  deliveries: { position: number; delays: number[] }[];
  /** An operator aborts the execution this long after the first upload, and retries this long after that. */
  abort?: { after: number; retryAfter: number } | undefined;
  /** This long after the decision, the same offers are decided with other codes, where they have more than one. */
  otherCodesAfter?: number | undefined;
  /** So many seconds after the beginning of a day on which service and account fail, or one call. It ends by itself. */
  badDay?: { startsAfter: number; down?: ServiceCall } | undefined;
  /** It comes so many seconds after the beginning of a day on which the table goes back an hour. */
  restored?: { startsAfter: number; losesExecution: boolean } | undefined;
  /** No operator helps the order when it waits for one. */
  operatorAway: boolean;
  /** It must be CLOSED so many hours after its package, although nobody helps but against a wait for years. */
  hoursToEnd?: number;
}

export interface GoesBack {
  from: OrderStatus;
  outcomes: readonly Outcome[];
  after: number;
}

/** The calls, with how often a fault meets each. */
export const callWeights = {
  create: 10,
  read: 25,
  'upload document': 15,
  accept: 18,
  download: 8,
  'upload signature': 12,
  confirm: 12,
};
export type ServiceCall = keyof typeof callWeights;

/** The kinds of faults, with how often they come. */
export const kindWeights = {
  'connection refused': 5,
  reset: 16,
  timeout: 2,
  '429': 6,
  '429 with Retry-After': 8,
  '409': 12,
  '503 with Retry-After': 8,
  '500': 8,
  '502': 8,
  '503': 8,
  '504': 8,
  'body cut in half': 8,
  'slow body': 4,
  'expired token': 3,
  'revoked token': 2,
  'rotated secret': 1,
  'stale read': 10,
  'foreign order': 5,
  'repeated status': 5,
  'status UP': 3,
  'lower-case status': 3,
  'blank status': 3,
};
export type ServiceFaultKind = keyof typeof kindWeights;
/** A name in faults/odd-answers.ts. */
export type OddKind = `odd: ${string}`;

export const isOfReads = (kind: ServiceFault['kind']) => /^(?!odd).*(read|order|status)/.test(kind);

/** A fault of the order service at a call of the order. `occurrence` counts these calls. */
export interface ServiceFault {
  kind: ServiceFaultKind | OddKind;
  call: ServiceCall;
  occurrence: number;
  /**
   * Whether the fault strikes after the service has done its work. For a slow body: whether it takes longer than our timeout. For a stale
   * read: whether it repeats the last read, not the last one with another status than the order has. For an odd answer that lasts for a
   * while: whether the calls of all orders are answered so.
   */
  after: boolean;
  /** How many calls in a row it strikes. */
  times: number;
}

export interface AwsFault {
  service: 'DynamoDB' | 'S3' | 'Secrets Manager' | 'Step Functions' | 'KMS' | 'EventBridge';
  /** `refused`: KMS refuses to use the key for a while, EventBridge refuses the first event of the request. Other services refuse nothing. */
  kind: 'throttled' | 'failed' | 'reset' | 'refused';
  /** The position of the first failing request among the order's requests to this service. */
  position: number;
  times: number;
  after: boolean;
}

/** The function is killed at its n-th request, or pauses, before or after the request is carried out. */
export interface Interruption {
  functionName: string;
  request: number;
  after: boolean;
  /** How long it pauses, in virtual seconds. Without them it is killed. */
  seconds?: number;
  /** Counts its requests to EventBridge instead of all others: it has recorded a change, and tells of it. */
  telling?: true;
  /** The earliest start, in virtual seconds from the beginning. */
  since?: number;
  /** While it pauses, an operator does this, one after the other. */
  acts?: readonly OperatorAct[];
}

/** What operators do in the Step Functions console, at the command line, or at the same time as the sweep. */
export type OperatorAct = 'stop' | 'redrive' | 'start' | 'retry' | 'dismiss' | 'erase' | 'sweep' | 'end wait';

/** What happens only where it is asked for. */
export const planOptions = ['closed-by-bank', 'quick-decisions', 'bad-day', 'restored-table'] as const;
export type PlanOption = (typeof planOptions)[number];

export const isKill = ({ seconds }: Interruption): boolean => seconds === undefined;

export function plainPlan(orderRef: string, given: Partial<OrderPlan> = {}): OrderPlan {
  const documents = ['charter.pdf', 'balance.pdf'].map((name) => ({ name, size: 100 }));
  const files = ['order.json', ...documents.map(({ name }) => `documents/${name}`)];
  return {
    orderRef,
    documents,
    uploads: files.map((file) => ({ file, delay: 0 })),
    choose: 'rule',
    signer: 'partner',
    signing: { delay: 0, early: false, replacedAfter: undefined },
    decision: { delay: 0, early: false, nonsenseFirst: false, choices: 1 },
    serviceFaults: [],
    awsFaults: [],
    deliveries: [],
    operatorAway: false,
    interruptions: [],
    polls: [],
    furtherDecisions: [],
    ...given,
  };
}
