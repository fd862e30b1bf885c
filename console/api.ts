/** The messages between the console's server and its page. Types only, so no server code gets into the page. */

import type { REASONS } from '@business-loan-orders/detached-signatures/reasons';
import type { RefusedSignature } from '../commands/documents.ts';
import type { ListedView } from '../commands/list.ts';
import type { Loan } from '../commands/shared/alike-orders.ts';
import type { Execution } from '../commands/shared/executions.ts';
import type { repairOf } from '../commands/shared/failure-advice.ts';
import type { NamedTerm, namedOffers, unitsOf } from '../commands/shared/offer-terms.ts';
import type { Difference } from '../commands/shared/overtaken.ts';
import type { pauseFacts } from '../commands/shared/pause.ts';
import type { Failure, REFUSALS } from '../commands/shared/refusals.ts';
import type { RejectedLine } from '../commands/shared/rejected-uploads.ts';
import type { OrderView, TimelineView } from '../commands/shared/views.ts';
import type { Problem } from '../core/json/json-problems.ts';
import type { ENGLISH } from '../core/messages/english.ts';
import type { Translated } from '../core/messages/say.ts';
import type { CreationHold } from '../core/order/creation-hold.ts';
import type { StagePause } from '../core/order/stage-pause.ts';

export type { Limited } from '@business-loan-orders/detached-signatures/reasons';
export type { ChangedMember } from '../commands/shared/overtaken.ts';
export type { SignatureVerdict } from '../commands/sign/judge-file.ts';
export type { Kind, Wanted } from '../core/messages/english.ts';
export type { WhatHappened } from '../core/order/what-happened.ts';
export type { RejectionProblem } from '../core/staging/rejected-upload.ts';
export type { Difference, Failure, RefusedSignature };

/** The sentences that the page translates; the second are of signatures. */
export type Catalogue = Translated<typeof ENGLISH & typeof REFUSALS> & SignatureReasons;
export type SignatureReasons = Translated<typeof REASONS>;

export type OrderRow = ListedView & {
  /** What happened and what to do about it, in English and in Russian. */
  advice?: [string, string];
  /** The time from which the order counts as unchanged for too long. */
  oldFrom?: string;
  repair?: ReturnType<typeof repairOf>;
  /** When an order that an outage stopped is started again. */
  nextTry?: string | undefined;
};

/** The answer of `/api/orders`: all orders, or those that changed after the version that was asked for. */
export interface OrdersMessage {
  version: number;
  isWhole: boolean;
  rows: OrderRow[];
}

/** The orders that ended in a month, newest first. */
export interface EndedOrders {
  rows: OrderRow[];
  /** Others of the month are left out. */
  isCut: boolean;
}

export interface StageFacts {
  stage: string;
  /** The AWS account and region, or the laptop, in words. */
  where: string;
  local: boolean;
  /** Milliseconds after which the page asks again. */
  lookEvery: number;
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

/** An order on the signing desk, with the documents of its present round. */
export type DeskOrder = Pick<OrderView, 'orderRef' | 'labels' | 'due'> & {
  /** Since when it waits for signatures. */
  since: string;
  documents: OrderView['toSign'];
  refused: RefusedSignature[];
};

/** Of the orders that wait for signatures, those that wait longest, and how many others wait. */
export interface DeskFacts {
  orders: DeskOrder[];
  more: number;
}

export interface RejectedFacts {
  /** Lines of `list --rejected`, and the order of the upload's folder, if any. Invisible characters are percent-encoded. */
  rejected: (RejectedLine & { orderRef?: string })[];
  /** How many older rejected uploads are not in the list. */
  older: number;
}

/** What `show` prints, and the service's last answer. */
export interface TechnicalFacts {
  text: string;
  snapshot: unknown;
}

/** `isTakeable`: whether a decision can take it. */
export type OfferFacts = ReturnType<typeof namedOffers>[number];

/** The staged offers, and the version of their file. */
export interface ShownOffers {
  version: string;
  offers: OfferFacts[];
  /** The terms that the stage names, by the path of their member. */
  names: Record<string, NamedTerm>;
  units: Partial<ReturnType<typeof unitsOf>>;
}

export type { ReportLine } from '../commands/shared/month-report.ts';

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
  /** The JSON Schema of the order data, if the stage has one. */
  orderSchema?: object;
  problems: Problem[];
  /** Files that order.json does not name. */
  unnamed: string[];
  /** Company and sum, if the stage names them. */
  loan?: Loan;
  /** References of orders of the same company and sum in the last days. */
  alike: string[];
  /** The reference, if an order has it. */
  taken?: string;
  /** Why the package could not be checked. */
  refused?: string;
}

/** A line of the answer to a submission. `status` is the HTTP status of this failure. */
export type SubmitMessage =
  | { progress: { name: string; done: number; total: number } }
  | { problems: Problem[] }
  | { said: string; orderRef: string }
  | { failed: Failure; status: number };
