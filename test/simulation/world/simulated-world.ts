import type { S3Client } from '@aws-sdk/client-s3';
import type { AwsRequest, InvocationResult, LocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import type { SimulatedOrder, Simulator } from '@business-loan-orders/order-simulator';
import type { Choice } from '../../../core/order/choices.ts';
import type { EventWitness } from '../checks/event-witness.ts';
import type { Witness } from '../checks/witness.ts';
import type { PartnerActs } from '../people/acts.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { References } from './references.ts';
import type { Schedule } from './schedule.ts';
import type { Tally } from './tally.ts';

/** A kill to carry out now. The request gets no answer. */
export interface DueKill {
  after: boolean;
  strike(): void;
}

/** A pause to carry out now. */
export interface DuePause {
  after: boolean;
  /** Resolves after the pause, and after at most `most` virtual seconds. `isCounted`: whether AWS counts the request as work. */
  wait(isCounted: boolean, most?: number): Promise<void>;
}

export interface Due {
  kill?: DueKill;
  pause?: DuePause;
}

type Invoke = (killed: AbortSignal) => Promise<InvocationResult>;

interface Interrupted {
  result: InvocationResult;
  couldNotRecordRead: boolean;
}

/** Everything that a batch of orders runs in. Faults and people know each other through it. */
export interface SimulatedWorld {
  plans: ReadonlyMap<string, OrderPlan>;
  clock: VirtualClock;
  schedule: Schedule;
  simulator: Simulator;
  references: References;
  aws: LocalAws;
  outputs: Record<string, string>;
  /** A client that meets no faults. */
  s3: S3Client;
  partner: {
    acts(orderRef: string): PartnerActs;
    /** Begins to upload the package `start` virtual seconds from now. */
    submit(plan: OrderPlan, start: number): void;
    onRequest(orderRef: string, request: AwsRequest): void;
    onRead(orderRef: string, order: SimulatedOrder): void;
    put(orderRef: string, file: string, content: string | Uint8Array): Promise<string>;
    putDecision(orderRef: string, choices: readonly Choice[]): Promise<void>;
  };
  operator: {
    onEnd(orderRef: string): void;
    abort(plan: OrderPlan): Promise<void>;
    retries(orderRef: string): readonly number[];
  };
  witness: Witness;
  eventWitness: EventWitness;
  interruptions: {
    run(orderRef: string, functionName: string, invoke: Invoke): Promise<Interrupted>;
    at(orderRef: string, functionName?: string, telling?: true): Due;
    orderAlone(): string | undefined;
    failedToRecordRead(orderRef: string, functionName: string): void;
  };
  /** The orderRef of each task token. */
  tokens: Map<string, string>;
  /** The certificate of the KMS key, DER. */
  kmsCertificate: Buffer;
  injected: Tally;
  calls: Tally;
  operated: Tally;
  /** Puts the simulator's credentials into the secret, as the partner does after a rotation. */
  putCredentials(): Promise<void>;
  close(): Promise<void>;
}
