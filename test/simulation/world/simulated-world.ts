import type { S3Client } from '@aws-sdk/client-s3';
import type { SFNClient } from '@aws-sdk/client-sfn';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { LocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import type { Simulator } from '@business-loan-orders/order-simulator';
import type { EventWitness } from '../checks/event-witness.ts';
import type { Witness } from '../checks/witness.ts';
import type { Uploads } from '../people/uploads.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { Schedule } from './schedule.ts';
import type { Tally } from './tally.ts';

export interface SimulatedWorld {
  plans: ReadonlyMap<string, OrderPlan>;
  clock: VirtualClock;
  schedule: Schedule;
  simulator: Simulator;
  aws: LocalAws;
  outputs: Record<string, string>;
  /** Clients that meet no faults. */
  s3: S3Client;
  dynamodb: DynamoDBDocumentClient;
  stepFunctions: SFNClient;
  uploads: Uploads;
  witness: Witness;
  eventWitness: EventWitness;
  /** The orderRef of each task token. */
  tokens: Map<string, string>;
  injected: Tally;
  operated: Tally;
  /** Puts the simulator's credentials into the secret, as the partner does after a rotation. */
  putCredentials(): Promise<void>;
}
