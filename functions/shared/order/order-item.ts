import type { Repeats } from './believed.ts';
import type { KeptDecision } from './choices.ts';

/** Whether an order of this status has ended: the service changes nothing about it any more. */
export function isFinal(status: string): boolean {
  return status === 'CLOSED' || status === 'VALIDATION_FAILED';
}

export type WaitingFor = 'service' | 'signatures' | 'decision' | 'operator' | 'nobody';

/** A document of the package, pinned to a version that intake checked. */
export interface PackageDocument {
  /** Path inside the package, `documents/…`. */
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
export interface OrderItem {
  orderRef: string;
  item: 'order';
  /** The service's own word once the order was read; `RECEIVED` before that. */
  status: string;
  waitingFor: WaitingFor;
  createdAt: string;
  changedAt: string;
  /** Version of `order.json` that this order was started from. */
  packageVersionId: string;
  documents: PackageDocument[];
  /** How often a document was replaced by a newer version. */
  documentsReplaced?: number;
  choose: 'manual' | 'rule';
  /** Who signs. */
  signing: 'external' | 'kms';
  orderId?: string;
  /** Which execution of the order is at work: 1, 2, … */
  generation: number;
  /** Which of them a person started last; absent before the first retry. The others were handed the order over. */
  retriedIn?: number;
  /** ARN of that execution, once it has claimed the order. */
  execution?: string;
  snapshotSha256?: string;
  /** The wait that the last recorded read asked for, in seconds. */
  pollAfterSeconds?: number;
  /** Nobody reads the order before this time. */
  nextReadAt?: string;
  /** The order service wants to be left alone until then (`Retry-After`): no step calls it before. */
  throttledUntil?: string;
  /** Which time the service asks for documents, 1 for the first. */
  documentsRound?: number;
  documentsAsked?: Asked;
  /** Which time the service asks for signatures, and for which files. */
  signaturesRound?: SignaturesRound;
  /** The last round of either kind after which a read brought another status: it is over, whoever accepted. */
  documentsLeft?: number;
  signaturesLeft?: number;
  /** The repeats that the execution of this generation had counted when it handed over to the next one. */
  repeats?: Repeats & { generation: number };
  /** The order came to its offers, and no accept of signatures is known to be done. */
  unsigned?: true;
  failure?: { error: string; cause: string; at: string };
  /** What the order asks people for; gone once that was decided, once the order has left the status, and once its execution has failed: they have the whole time again. */
  awaited?: Awaited | undefined;
  decision: KeptDecision;
  /** Why a human must choose among the offers though there is a rule. It holds no data of the order. */
  decisionReason?: string | undefined;
}

/** What people were asked for, and when for the first time. */
export interface Awaited {
  what: 'signatures' | 'decision';
  round: number;
  since: string;
  /** SHA-256 of what was asked about: the page that asks for signatures, or the read that brought the offers. */
  page?: string;
}

export interface SignaturesRound {
  number: number;
  fileIds: string[];
  asked?: Asked;
}

/** How many times in a row the order was asked for the same files, the last time in this generation. A person's retry counts anew. */
export interface Asked {
  times: number;
  generation: number;
}
