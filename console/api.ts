/** The messages between the console's server and its page. Types only, so no server code gets into the page. */

import type { REASONS } from '@business-loan-orders/detached-signatures/reasons';
import type { ListedView } from '../commands/list.ts';
import type { Execution } from '../commands/shared/executions.ts';
import type { Members, OfferView } from '../commands/shared/offer-view.ts';
import type { ChangedMember, Difference } from '../commands/shared/overtaken.ts';
import type { pauseFacts } from '../commands/shared/pause.ts';
import type { Failure, REFUSALS } from '../commands/shared/refusals.ts';
import type { RejectedLine } from '../commands/shared/rejected-uploads.ts';
import type { OrderView, TimelineView } from '../commands/shared/views.ts';
import type { Problem } from '../core/json/json-problems.ts';
import type { ENGLISH, Kind, Wanted } from '../core/messages/english.ts';
import type { Coded, Translated } from '../core/messages/say.ts';
import type { CreationHold } from '../core/order/creation-hold.ts';
import type { StagePause } from '../core/order/stage-pause.ts';
import type { WhatHappened } from '../core/order/what-happened.ts';
import type { RejectionProblem } from '../core/staging/rejected-upload.ts';

export type { ChangedMember, Coded, Difference, Failure, Kind, Members, RejectionProblem, Wanted, WhatHappened };

/** The sentences that the page translates; the second are of signatures. */
export type Catalogue = Translated<typeof ENGLISH & typeof REFUSALS> & SignatureReasons;
export type SignatureReasons = Translated<typeof REASONS>;

export type OrderRow = ListedView & {
  /** What happened and what to do about it, in English and in Russian. */
  advice?: [string, string];
  /** The time from which the order counts as unchanged for too long. */
  oldFrom?: string;
};

/**
 * What `/api/orders/live` sends: all orders first, then those that changed. `failed` says why the stage could not be read; all orders
 * come again after that.
 */
export type OrdersMessage =
  | { all: OrderRow[]; now: string }
  | { changed: OrderRow[]; now: string }
  | { failed: Failure };

/** What the other live endpoints send, at first and after each change: the facts, or why they cannot be read. */
export type FactsMessage<Facts> = ({ facts: Facts } | { failed: Failure }) & { now: string };

export interface StageFacts {
  stage: string;
  /** The AWS account and region, or the laptop, in words. */
  where: string;
  local: boolean;
  /** The options of a command for this stage. */
  options: string;
  /** How many uploads were rejected. Absent without the right to read that. */
  rejected?: number;
  pause?: Pick<StagePause, 'since' | 'by' | 'reason'>;
  /** The service has not answered a creation. */
  creations?: Pick<CreationHold, 'since' | 'cause' | 'nextTry'>;
  /** Until when no token is requested, as the authorization service asked. Absent without the right to read that. */
  tokenUntil?: string;
}

export interface Refused extends Failure {
  /** Set for a decision that came too late. */
  difference?: Difference;
}

export type OrderFacts = Omit<OrderView, 'timeline' | 'executions'> &
  ReturnType<typeof pauseFacts> & {
    timeline: TimelineView[];
    russianAdvice: OrderView['advice'];
    /** The page of its log in the AWS console; on the laptop, a file. */
    log: string | undefined;
    /** `address` is its page in the AWS console. Absent on the laptop. */
    executions: (Omit<Execution, 'arn'> & { address: string | undefined })[];
  };

export interface RejectedFacts {
  /** Lines of `list --rejected`, and the order of the upload's folder, if any. Invisible characters are percent-encoded. */
  rejected: (RejectedLine & { orderRef?: string })[];
  /** How many older rejected uploads are not in the list. */
  older: number;
}

export interface ServiceWords {
  issues: unknown;
  answers: { name: string; answer: unknown }[];
}

/** `isTakeable`: whether a decision can take it. */
export type OfferFacts = OfferView & { isTakeable: boolean };

/** The staged offers, and the version of their file. */
export interface ShownOffers {
  version: string;
  offers: OfferFacts[];
}

export type { Limited } from '@business-loan-orders/detached-signatures/reasons';
export type { RefusedSignature } from '../commands/documents.ts';

/** The verdict on a signature that was dropped onto the page. */
export interface SignatureVerdict extends Coded {
  name: string;
  passed: boolean;
  problem?: string;
  /** What could not be checked. */
  note?: Coded & { problem: string };
  /** The document that it signs. */
  fileId?: string;
  file?: string;
}

export interface Done {
  said: string;
}

/** An archive with the evidence of an order, which can be downloaded once under this `id`. */
export interface MadeEvidence {
  id: string;
  sha256: string;
  /** Whether its manifest is signed with the stage's key. */
  signed: boolean;
}

/** The result of a package's check, as `lint` reports it. */
export interface PackageCheck {
  files: { path: string; size: number }[];
  problems: Problem[];
  /** Files that order.json does not name. */
  unnamed: string[];
  orderJson?: string;
  /** Why the package could not be checked. */
  refused?: string;
}

/** A line of the answer to a submission. `status` is the HTTP status of this failure. */
export type SubmitMessage =
  | { progress: { name: string; done: number; total: number } }
  | { problems: Problem[] }
  | { said: string; orderRef: string }
  | { failed: Failure; status: number };
