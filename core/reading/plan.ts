import type { OrderError, Throttled, UnexpectedResponse } from '../errors.ts';
import type { State } from '../ledger/knowledge.ts';
import type { Decision, KnownChoice } from '../order/decision-states.ts';
import type { Awaited, NotBefore, OrderItem, Repeats, RoundKind } from '../order/order-item.ts';
import type { ReadChange } from '../order/order-record.ts';
import type { Line } from '../order/timeline.ts';
import type { Order } from '../order-service/order-service-client.ts';
import type { Before, Next, ReadOrderInput, ReadOrderOutput } from './output.ts';
import type { NextRead } from './poll.ts';
import type { RoundStep } from './round.ts';
import type { ReadingRules } from './rules.ts';

/** The input of `decide` besides the answer. */
export interface View {
  record: OrderItem;
  cursor: ReadOrderInput;
  ledger: Ledger;
}

/** What the ledger knows: of the accepts of the last rounds, and of the confirms of the chosen offers. */
export interface Ledger {
  accepts: { [Kind in RoundKind]?: State };
  decision?: Decision | undefined;
  /** Not looked up: the last read found nothing to do, and nothing has changed since. */
  isQuiet?: true;
}

/** What the service answered, or why it was not asked. */
export type Answer = Read | Unread;

export interface Read {
  is: 'read';
  order: Order;
  /** SHA-256 of the service's body. */
  sha256: string;
}

export type Unread =
  /** The order continues in another release. */
  | { is: 'moving' }
  | { is: 'not created' }
  /** The stage's pause holds the order until this time. */
  | { is: 'held'; until: string }
  | { is: 'too early'; until: string }
  /** The service asked us to read later. */
  | { is: 'throttled'; error: Throttled }
  /** The authorization service asked all functions to request tokens later. */
  | { is: 'no token'; error: Throttled }
  | { is: 'unusable'; error: UnexpectedResponse };

/** The outcome of an operation that a read shows. Without an `outcome` the operation was not done. */
export interface Settled {
  name: string;
  outcome?: Record<string, unknown>;
}

/** What to do about an answer, in order of execution. */
export interface Plan {
  settled?: Settled[];
  lines?: Line[];
  /** Removes the callbacks of a wait for people that has ended. */
  forget?: Awaited['what'] | undefined;
  /** Changes the record in one write. Absent if there is nothing new. */
  record?: ReadChange | undefined;
  /** No read is made before this time. */
  postpone?: string;
  reason?: NotBefore['reason'];
  /** Ends the execution, after everything else. */
  failure?: OrderError | undefined;
  output: ReadOrderOutput;
}

/** A plan before its output is computed. */
export type DecidedRead = Omit<Plan, 'output'> & { next: Next };

/** The input of `decide`. Of the cursor, it uses only the counts. */
export interface Given {
  record: OrderItem;
  ledger: Ledger;
  before: Before;
  rules: ReadingRules;
  /** When the answer arrived, in milliseconds since the epoch. */
  now: number;
}

/** The input of every part of a plan after a read. */
export interface Facts extends Given {
  read: Read;
  order: Order;
  wait: NextRead;
  /** The reads of this status before this one, if it was already handled. */
  repeats: Repeats | undefined;
  /** Whether to believe a read of a status that was already handled (`believed.ts`). */
  isBelieved: boolean;
  /** The decision with what this read proves, and the choices of which it proves something. */
  decision: Decision | undefined;
  proven: KnownChoice[];
}

/** What follows from the status. */
export interface Step extends Omit<RoundStep, 'todo'> {
  todo: 'act' | 'wait' | 'confirm';
}
