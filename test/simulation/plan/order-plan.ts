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
  pauses: Pause[];
  /** The service confirms an offer twice rather than refuse it. Nobody could prevent that where it lies, or is read as it was before. */
  takesRepeatedConfirms: boolean;
  /** Reads of the order that are answered with another `pollAfterSeconds` than the others. */
  polls: { occurrence: number; seconds: number }[];
  /** An execution hands over after so few reads. */
  handOverAfter: number | undefined;
  /** Signatures and decisions of which no event comes, by position among them; how late all events of the order are beyond that. */
  events: { lost: number | undefined; late: number | undefined };
  /** The bank closes the order so long after it has made its offers, whatever was decided. */
  closedAfter: number | undefined;
  /** Further decisions, each so long after the one before, with another offer or another code. */
  furtherDecisions: number[];
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
  'create',
  'read',
  'upload document',
  'accept',
  'download',
  'upload signature',
  'confirm',
] as const;
export type ServiceCall = (typeof serviceCalls)[number];

export const serviceFaultKinds = [
  'connection refused',
  'reset',
  'timeout',
  '429',
  '429 with Retry-After',
  '500',
  '502',
  '503',
  '504',
  'body cut in half',
  'slow body',
  'expired token',
  'revoked token',
  'rotated secret',
  'stale read',
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
  service: 'DynamoDB' | 'S3' | 'Secrets Manager' | 'Step Functions';
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

/** The function stands still for so many virtual seconds at its n-th request to anybody, before or after that was carried out. */
export interface Pause extends Kill {
  seconds: number;
  /** Not before so many virtual seconds have passed. */
  since?: number;
}

/** What happens only where it is asked for. */
export const planOptions = ['closed-by-bank', 'quick-decisions'] as const;
export type PlanOption = (typeof planOptions)[number];
