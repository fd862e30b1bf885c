import type { Written } from '../../core/package/decision-schema.ts';
import type { DeployedSettings } from '../../infra/deployed-settings.ts';
import type { Buckets } from './buckets.ts';
import { withDecider } from './caller.ts';
import { Executions } from './executions.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import type { OrderRecord } from './record.ts';
import type { RejectedUploads } from './rejected-uploads.ts';
import { type Outputs, settingsOf, stackOutputs } from './stack-outputs.ts';

/** A stage, with the rights of whoever runs the command. */
export interface Connection {
  place: PlaceOptions;
  outputs: Outputs;
  /** What the commands must know of the settings. */
  settings: () => DeployedSettings;
  record: OrderRecord;
  executions: Executions;
  /** The client for S3 is loaded when it is used. */
  buckets: () => Promise<Buckets>;
  /** The rejected uploads, read from staging. */
  rejected: () => Promise<RejectedUploads>;
  /** The access key of whoever runs the command. CloudTrail knows whose key it is. */
  by: () => Promise<string>;
  /** Adds `decidedBy` to the members of a decision: whoever runs the command. */
  withDecider: (written: Written) => Promise<Written>;
}

/**
 * Loads the SDK, which is large.
 * @throws Refusal when the stage is not deployed there.
 */
export async function connect(options: PlaceOptions): Promise<Connection> {
  const [outputs, settings] = [await stackOutputs(options), clientSettings(options)];
  const [{ DynamoDBClient }, { SFNClient }, { RecordTable }, { OrderRecord }] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/client-sfn'),
    import('../../core/aws/record-table.ts'),
    import('./record.ts'),
  ]);
  const client = new DynamoDBClient(settings);
  const record = new OrderRecord(new RecordTable(client, outputs('OrderTable')));
  let buckets: Promise<Buckets> | undefined;
  let rejected: Promise<RejectedUploads> | undefined;
  const openBuckets = async () => (await import('./buckets.ts')).openBuckets(options, outputs);
  const openRejected = async () => {
    const uploads = await import('./rejected-uploads.ts');
    return new uploads.RejectedUploads(await connection.buckets(), record.table);
  };
  const connection: Connection = {
    place: options,
    outputs,
    settings: () => settingsOf(outputs),
    record,
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
    buckets: () => (buckets ??= openBuckets()),
    rejected: () => (rejected ??= openRejected()),
    by: async () => (await client.config.credentials()).accessKeyId,
    withDecider: (written) => withDecider(written, options, outputs('DecisionMembers', '')),
  };
  return connection;
}
