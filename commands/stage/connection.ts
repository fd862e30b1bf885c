import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { openOrderTable } from '../../core/aws/order-table.ts';
import type { Written } from '../../core/package/decision-schema.ts';
import { withDecider } from './caller.ts';
import { CreationRecord } from './creation-record.ts';
import { Dismissals } from './dismissals.ts';
import { Executions } from './executions.ts';
import { Pauses } from './pauses.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { OrderRecord } from './record.ts';
import type { RejectedUploads } from './rejected-uploads.ts';
import type { KeptWords } from './service-words.ts';
import { stackOutputs } from './stack-outputs.ts';

/** A stage's order table and state machine, which the operator commands use. */
export interface Connection {
  record: OrderRecord;
  /** What was rejected, read from staging. */
  rejected: () => Promise<RejectedUploads>;
  creations: CreationRecord;
  dismissals: Dismissals;
  pauses: Pauses;
  executions: Executions;
  /** What the order service answered to calls of this order that it refused. */
  serviceWords: (orderRef: string) => Promise<KeptWords>;
  /** The access key of whoever runs the command. CloudTrail knows whose key it is. */
  by: () => Promise<string>;
  /** Names whoever runs the command in what a decision says beside its choices. */
  withDecider: (written: Written) => Promise<Written>;
  /** The release that new executions run. Throws a Refusal if the deployed stack does not tell. */
  release: () => string;
}

/** @throws Refusal when the stage is not deployed there. */
export async function connect(options: PlaceOptions): Promise<Connection> {
  const [outputs, settings] = [await stackOutputs(options), clientSettings(options)];
  const client = new DynamoDBClient(settings);
  const table = openOrderTable(client, outputs('OrderTable'));
  let rejected: Promise<RejectedUploads> | undefined;
  const openRejected = async () => {
    const [{ S3Client }, uploads] = await Promise.all([import('@aws-sdk/client-s3'), import('./rejected-uploads.ts')]);
    return new uploads.RejectedUploads({ s3: new S3Client(settings), bucket: outputs('StagingBucket'), table });
  };
  return {
    record: new OrderRecord(table),
    rejected: () => (rejected ??= openRejected()),
    creations: new CreationRecord(table),
    dismissals: new Dismissals(table),
    pauses: new Pauses(table),
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
    serviceWords: async (orderRef) => {
      const { keptWords } = await import('./service-words.ts');
      return keptWords(settings, outputs('StagingBucket'), orderRef);
    },
    by: async () => (await client.config.credentials()).accessKeyId,
    withDecider: (written) => withDecider(written, options, outputs('DecisionMembers', '')),
    release: () => outputs('Release'),
  };
}
