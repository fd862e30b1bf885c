/** What the console's server and its page tell each other. Types only: the page is built from them, and nothing else of ours. */

import type { Members, OfferView } from '../commands/offers/offer-view.ts';
import type { ListedView } from '../commands/orders/list.ts';
import type { pauseFacts } from '../commands/show/pause.ts';
import type { OrderView, TimelineView } from '../commands/show/views.ts';
import type { Execution } from '../commands/stage/executions.ts';
import type { Problem } from '../core/json/json-problems.ts';
import type { Written } from '../core/order/decision-schema.ts';
import type { StagePause } from '../core/order/stage-pause.ts';
import type { WhatHappened } from '../core/order/what-happened.ts';
import type { RejectedUpload } from '../core/people/rejected-upload.ts';

/** A line of the table of orders. */
export type OrderRow = ListedView & {
  /** What happened and what to do about it. */
  failureWords?: string;
  /** From this time on the order counts as unchanged for too long. */
  oldFrom?: string;
};

/**
 * What `/api/orders/live` sends: all orders first, then those that changed. `failed` says why the stage could not be read; all orders
 * come again after that.
 */
export type OrdersMessage =
  | { all: OrderRow[]; now: string }
  | { changed: OrderRow[]; now: string }
  | { failed: string };

/** What the console is connected to. */
export interface StageFacts {
  stage: string;
  /** The AWS in words. */
  where: string;
  local: boolean;
  pause?: Pick<StagePause, 'since' | 'by' | 'reason'>;
}

/** What a refusal or a failure says. */
export interface Refused {
  error: string;
  problems?: Problem[];
}

export type OperationFacts = OrderView['operations'][number];

export type { WhatHappened };

export type TimelineFacts = TimelineView;

/** `address` is its page in the AWS console. Absent on the laptop. */
export type ExecutionFacts = Omit<Execution, 'arn'> & { address?: string };

export type ToSignFacts = OrderView['toSign'][number];

/** Everything that is shown of an order. */
export type OrderFacts = Omit<OrderView, 'timeline' | 'executions'> &
  ReturnType<typeof pauseFacts> & { timeline: TimelineFacts[]; executions: ExecutionFacts[] };

/** What a live answer sends: all facts first, then the members that changed. A member that is gone is null. */
export type FactsMessage<Facts extends object> =
  | { all: Facts; now: string }
  | { changed: Partial<Record<keyof Facts, unknown>>; now: string }
  | { failed: string };

/** What `/api/orders/<orderRef>/live` sends. */
export type OrderMessage = FactsMessage<OrderFacts>;

/** A line of `list --rejected`. */
export interface RejectedRow {
  kind: RejectedUpload['kind'];
  /** The key in intake. What cannot be seen is percent-encoded, here and in `answer`. */
  key: string;
  /** The order whose folder it is in, if there is one. */
  orderRef?: string;
  since: string;
  lastAt: string;
  why: string;
  /** The key of the answer in staging. */
  answer: string;
}

/** What `/api/rejected/live` sends. */
export interface RejectedFacts {
  rejected: RejectedRow[];
  /** How many older uploads were answered, and are not in the list. */
  older: number;
}

/** The state machine as a graph. */
export interface Workflow {
  start: string;
  states: { name: string; type: string; each?: string }[];
  steps: { from: string; to: string; isFailure: boolean }[];
}

/** The way of an order through the state machine. */
export interface Way {
  /** How often each state was entered. */
  visits: Record<string, number>;
  steps: { from: string; to: string; count: number }[];
  /** The state that was entered last, and the status of its execution. */
  present?: { state: string; at: string; status: string };
  /** How many executions are counted, and how many older ones are not. */
  executions: number;
  leftOut: number;
}

/** What the service said of an order. */
export interface ServiceWords {
  issues: unknown;
  answers: { name: string; answer: unknown }[];
}

export type { Members };

/** `isTakeable`: whether a decision can take it. */
export type OfferFacts = OfferView & { isTakeable: boolean };

/** The offers of an order. Null before a bank has answered. */
export interface OffersFacts {
  offers: OfferFacts[] | null;
}

/** The verdict on a signature that was dropped onto the page. */
export interface SignatureVerdict {
  /** The name of the dropped file. */
  name: string;
  passed: boolean;
  problem?: string;
  /** What could not be checked. */
  note?: string;
  /** The document that it signs. */
  fileId?: string;
  file?: string;
}

export type { Written };

/** What a command said after it was done. */
export interface Said {
  said: string;
}

/** An archive with the evidence of an order, which can be downloaded once under this `id`. */
export interface MadeEvidence {
  id: string;
  /** Of the archive. */
  sha256: string;
  /** Whether the key of the stage signed its manifest. */
  signed: boolean;
}

/** What became of each order of a retry of many. */
export interface Outcomes {
  outcomes: { orderRef: string; done: boolean; said: string }[];
}

/** What the check of a package found, in the words of `lint`. */
export interface PackageCheck {
  files: { path: string; size: number }[];
  problems: Problem[];
  /** Files that order.json does not name. */
  unnamed: string[];
  /** The text of order.json. */
  orderJson?: string;
  /** Why the package could not be checked. */
  refused?: string;
}

/** A line of the answer to a submission. */
export type SubmitMessage =
  | { progress: { name: string; done: number; total: number } }
  | { problems: Problem[] }
  | { said: string; orderRef: string }
  | { failed: string };

/** When orders may be read next; null where the record says nothing. */
export type NextReads = Record<string, string | null>;
