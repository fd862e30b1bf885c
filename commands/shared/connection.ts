import type { Written } from '../../core/package/decision-schema.ts';
import type { Buckets } from './buckets.ts';
import { withDecider } from './caller.ts';
import { Executions } from './executions.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import type { RejectedUploads } from './rejected-uploads.ts';
import { settingsOf, stackOutputs } from './stack-outputs.ts';

/** A stage, with the rights of the user of the command. */
export type StageConnection = Awaited<ReturnType<typeof connect>>;

/** Loads the SDK, which is large. Throws a Refusal when the stage is not deployed there. */
export async function connect(place: PlaceOptions) {
  const [outputs, settings] = [await stackOutputs(place), clientSettings(place)];
  const [{ DynamoDBClient }, { SFNClient }, { RecordTable }, { OrderRecord }] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/client-sfn'),
    import('../../core/aws/record-table.ts'),
    import('./record.ts'),
  ]);
  const client = new DynamoDBClient(settings);
  const record = new OrderRecord(new RecordTable(client, outputs('OrderTable')));
  let opened: Promise<Buckets> | undefined;
  let rejected: Promise<RejectedUploads> | undefined;
  const openBuckets = async () => (await import('./buckets.ts')).openBuckets(place, outputs);
  const buckets = () => (opened ??= openBuckets());
  const openRejected = async () =>
    new (await import('./rejected-uploads.ts')).RejectedUploads(await buckets(), record.table);
  return {
    place,
    outputs,
    settings: () => settingsOf(outputs),
    record,
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
    /** The client for S3 is loaded when it is used. */
    buckets,
    rejected: () => (rejected ??= openRejected()),
    /** The access key of the user of the command. CloudTrail knows its owner. */
    by: async () => (await client.config.credentials()).accessKeyId,
    /** Sets `decidedBy` of a decision to the user of the command. */
    withDecider: (written: Written) => withDecider(written, place, outputs('DecisionMembers', '')),
  };
}
