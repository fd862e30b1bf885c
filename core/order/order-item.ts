import type { Outbox } from '../events/outbox.ts';
import type { KeptDecision } from '../package/kept-decision.ts';
import { latest } from '../time.ts';
import type { Labels, sumIn } from './labels.ts';

/** Whether this status is final: the service does not change the order any more. */
export const isFinal = (status: string): status is 'CLOSED' | 'VALIDATION_FAILED' =>
  status === 'CLOSED' || status === 'VALIDATION_FAILED';

export const isOver = ({ status, dismissed }: Pick<OrderItem, 'status' | 'dismissed'>): boolean =>
  isFinal(status) || dismissed !== undefined;

const HOURS = {
  RECEIVED: 12,
  IN_WORK: 72,
  WAITING_FOR_DOCUMENTS: 12,
  WAITING_FOR_SIGNATURE: 168,
  OFFERS_AVAILABLE: 168,
  OFFERS_APPROVED: 336,
};

/** The statuses of an order that is not over. A service may invent others, but an order in one of those waits for an operator. */
export const OPEN_STATUSES = Object.keys(HOURS) as (keyof typeof HOURS)[];

/**
 * How many hours an order may be in a status before it counts as stuck, and an alarm goes off. RECEIVED and WAITING_FOR_DOCUMENTS take
 * minutes of our own work, and 12 hours leave room for an outage. In the other statuses, an order waits for the bank or for people.
 */
export const UNCHANGED_HOURS: Readonly<Record<string, number>> = HOURS;

/**
 * Name of the table's sparse index, by `openFor`: whom the orders that are not over wait for, and since when; and which orders
 * that are over still have data to remove.
 */
export const BY_WAITING = 'byWaiting';

export const WAITING_FACTS = [
  ...(['status', 'statusSince', 'waitingFor', 'orderId', 'generation', 'execution'] as const),
  ...(['failure', 'resume', 'release', 'moveTo'] as const),
] as const;

/**
 * Name of the table's index that lists every order once, by `listedUnder`. Its facts cannot be changed later, so they include `report`, which
 * outlives the record.
 */
export const BY_LIST = 'byList';

export const LIST_FACTS = [
  ...(['status', 'statusSince', 'waitingFor', 'orderId', 'generation', 'createdAt', 'failure'] as const),
  ...(['resume', 'awaited', 'dismissed', 'report', 'labels', 'due'] as const),
] as const;

/** An order waits for an operator after the end of its execution (`core/recovery/record-execution-end.ts`). */
export type WaitingFor = 'service' | 'signatures' | 'decision' | 'operator' | 'nobody';

/** The data of an ended order that is removed next: its files, and later most of its record. */
export type DataToRemove = 'files-to-remove' | 'record-to-reduce';

/** A document of the package, in the version that intake checked. */
export interface PackageDocument {
  /** Path in the package, `documents/…`. */
  file: string;
  versionId: string;
  /** Bytes. */
  size: number;
  contentType: string;
  entityId: string;
  sourceEntityId: string;
  docType: string;
}

/** The item `order` of the order's record. Times are ISO 8601 in UTC. */
export interface OrderItem extends Outbox {
  orderRef: string;
  item: 'order';
  /** The service's status at the last recorded read. `RECEIVED` before the first read. */
  status: string;
  statusSince?: string;
  waitingFor: WaitingFor;
  /** The key of the index `byWaiting`. Absent when nothing is left to do, or if a legal hold keeps the order. */
  openFor?: Exclude<WaitingFor, 'nobody'> | DataToRemove | undefined;
  /** The key of the index `byList`: whom the order waits for, or the month of its end, such as `2026-11`. Absent in older records. */
  listedUnder?: string;
  report?: Reported;
  createdAt: string;
  changedAt: string;
  /** Version of the `order.json` that started the order. */
  packageVersionId: string;
  documents: PackageDocument[];
  /** How often a document was replaced by a newer version. */
  documentsReplaced?: number;
  choose: 'manual' | 'rule';
  signing: 'external' | 'kms';
  orderId?: string;
  /** Number of the execution that drives the order: 1, 2, … */
  generation: number;
  /** The {@link attemptNumber} of the last attempt that a person began. Absent before the first retry or redrive. */
  retriedIn?: number;
  /** ARN of the execution that drives the order. Absent until it has claimed the order. */
  execution?: string;
  /** How often that execution had been redriven at its last claim of the order, or when its end was recorded. Absent for 0. */
  redrives?: number;
  /** When the attempt before the redrive ended. Nothing is accepted or confirmed until a read removes this. */
  stoppedAt?: string | undefined;
  /** The release of the execution that drives the order. Absent until one has claimed the order. */
  release?: string;
  moveTo?: Move;
  /** SHA-256 of the service's answer at the last recorded read. */
  snapshotSha256?: string;
  /** The wait after the last recorded read, in seconds. */
  pollAfterSeconds?: number;
  /** When the order may be read, and when the service may be called. */
  notBefore: NotBefore;
  /** The last round of each kind. */
  rounds?: Rounds;
  /** The repeats that this generation had counted when it handed the order over to the next one. */
  repeats?: Repeats & { generation: number };
  /** The order has offers although no accept of signatures is known to be done. */
  unsigned?: true;
  failure?: { error: string; cause: string; at: string };
  /** An operator ended the order on our side. A retry removes this. */
  dismissed?: Dismissal | undefined;
  /** The last outage that stopped the order, and when the sweep starts it again. Valid only while there is a `failure`. */
  resume?: Resumption | undefined;
  /** An operator lets this attempt ({@link attemptNumber}) go on in the stage's pause that began at `since`. */
  whilePaused?: { since: string; attempt: number };
  /** What people are asked for. Removed after the decision, a change of status, or a failure: then the deadline starts again. */
  awaited?: Awaited | undefined;
  /** When they must have answered. Recorded and removed with `awaited`. */
  due?: string | undefined;
  /** The `since` of the request that people were reminded of. */
  remindedFor?: string;
  /** What people recognise the order by. Personal data. */
  labels?: Labels;
  decision: KeptDecision;
  /** Why a human must choose although there is a rule. Contains no data of the order. */
  decisionReason?: string | undefined;
  /** While this is set, no data of the order is removed. */
  legalHold?: LegalHold;
  /** The data that was removed after the order's end. */
  removal?: Removal;
}

/** What reports need, also after the record was reduced: `seconds` in each status it has left, and the `sum` of removed labels. */
export interface Reported {
  seconds?: Record<string, number>;
  /** Reads showed an AVAILABLE offer; a confirm is known to be done, although reads may miss its status. */
  offered?: boolean | undefined;
  taken?: boolean | undefined;
  sum?: ReturnType<typeof sumIn>;
}

/** When an order was dismissed, the access key of who did it, and what the order had failed with. */
export interface Dismissal {
  at: string;
  by: string;
  failure?: NonNullable<OrderItem['failure']>;
}

/** When the order was put on legal hold, and the access key of who did it. */
export type LegalHold = Pick<Dismissal, 'at' | 'by'>;

/** What was removed after an order's end. It proves the removal, so it contains no personal data. */
export interface Removal {
  /** The files in both buckets. `count` counts versions, delete markers included. */
  files: RemovedPart;
  /** The items of the record other than the item `order`. */
  record?: RemovedPart;
}

export interface RemovedPart {
  /** `retention`, or the access key of who erased the order. CloudTrail knows whose key it was. */
  by: string;
  /** Recorded before anything is removed. */
  begunAt: string;
  /** Absent while something may be left. */
  endedAt?: string;
  count: number;
}

/** When the sweep restarts an order that an outage stopped. */
export interface Resumption {
  /** When the outage stopped the order first. */
  since: string;
  /** How often the order was restarted since, the next time included. */
  tries: number;
  /** When it is started again. */
  at: string;
}

/**
 * At its next read, this generation hands the order over to the next one, which runs the newest release. Other generations ignore the mark,
 * so it need not be removed.
 */
export interface Move {
  /** The newest release when the mark was set. */
  release: string;
  generation: number;
  at: string;
}

/** Consecutive reads of a status that was already handled, or that is unknown. */
export interface Repeats {
  reads: number;
  /** The unknown status. */
  status?: string;
  /** When the first of these reads was made. */
  since: string;
}

export interface Awaited {
  what: 'signatures' | 'decision';
  round: number;
  /** When they were first asked. */
  since: string;
  /** SHA-256 of the page that asks for signatures, or of the read with the offers. */
  page?: string;
}

/** Changes of an order that asks people for nothing any more. */
export const NOT_ASKED = { awaited: undefined, due: undefined } as const;

/** Whether people have already been asked for this. They are asked only once. */
export const isAsked = ({ awaited }: Pick<OrderItem, 'awaited'>, what: Awaited['what'], round: number): boolean =>
  awaited?.what === what && awaited.round === round;

/** Grows with each execution and each redrive of it. Older records have plain generations, which are smaller than any attempt number. */
export const attemptNumber = ({ generation, redrives = 0 }: Pick<OrderItem, 'generation' | 'redrives'>): number =>
  generation * 1_000 + redrives;

/** What people are asked for, and since when. If the wait begins again, `since` and so the deadline stay the same. */
export function askedSince(order: Pick<OrderItem, 'awaited'>, what: Awaited['what'], round: number): Awaited {
  const { awaited } = order;
  return awaited && isAsked(order, what, round) ? awaited : { what, round, since: new Date().toISOString() };
}

export type RoundKind = 'documents' | 'signatures';

/** One request of the service for documents, or for signatures. */
export interface Round {
  /** 1, 2, … */
  number: number;
  /** The files to sign. Empty for documents, which the package lists. */
  fileIds: string[];
  /** The files of the rounds before. */
  earlier?: string[];
  asked: AskCount;
  /** A read brought another status, so the round is over. */
  left?: true;
}

export type Rounds = { [Kind in RoundKind]?: Round };

/** Times before which something must not be done. They hold for the clock of any machine. */
export interface NotBefore {
  /** The order must not be read before this time. */
  readAt?: string;
  /** Why `readAt` was set, if not by `pollAfterSeconds`. */
  reason?: 'Retry-After';
  /** The service has throttled the order's calls. The next answered call removes this. */
  throttled?: Throttling;
}

export interface Throttling {
  since: string;
  /** The attempt whose call was throttled ({@link attemptNumber}). A person's retry restarts the stage's patience. */
  generation: number;
  /** No step may call the order service before this time. The next answered read removes it. */
  backOffUntil?: string;
  /** Why `backOffUntil` was set, if not by `Retry-After`: we wait after an outage. */
  reason?: 'outage';
}

/** How many times in a row the service has asked for the same files. A person's retry resets it to 0. */
export interface AskCount {
  times: number;
  /** The attempt in which it asked last ({@link attemptNumber}). */
  generation: number;
}

/** The recorded time before which the order must not be read; undefined if none is recorded. */
export const readNotBefore = ({ notBefore }: Partial<Pick<OrderItem, 'notBefore'>>): string | undefined =>
  latest(notBefore?.readAt, notBefore?.throttled?.backOffUntil);
