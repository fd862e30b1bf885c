import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type KeySchemaElement,
  type Projection,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import {
  GetBucketNotificationConfigurationCommand,
  type GetBucketNotificationConfigurationCommandOutput,
  GetBucketVersioningCommand,
  type GetBucketVersioningCommandOutput,
  S3Client,
} from '@aws-sdk/client-s3';
import { RecordTable } from '../../core/aws/record-table.ts';
import { isPrepared, PREPARED_KEY, type Prepared } from '../../core/order/stage-pause.ts';
import { ORDER_INDEXES, ORDER_KEY, type OrderIndex } from '../../infra/order-table.ts';
import { timeToCompare } from '../shared/pause.ts';
import { clientSettings } from '../shared/place.ts';
import { ok, problem, type Verdict } from './finding.ts';
import { output, type StageView, settingsIn } from './stage-view.ts';

/** Checks the requirements for a table that the stack did not create. */
export async function checkAdoptedTable(view: StageView): Promise<Verdict> {
  const TableName = output(view, 'OrderTable');
  const client = new DynamoDBClient(clientSettings(view.options));
  try {
    const { Table: table = {} } = await client.send(new DescribeTableCommand({ TableName }));
    if (table.TableStatus === 'CREATING') {
      return problem(
        `Table ${TableName}, which the stage has adopted, is still made. Deploy the stage when it is ACTIVE.`,
      );
    }
    const backups = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    const { PointInTimeRecoveryDescription: recovery } = backups.ContinuousBackupsDescription ?? {};
    const isRecoverable = recovery?.PointInTimeRecoveryStatus === 'ENABLED';
    const needsProtection = settingsIn(view).adoptedTable?.deletionProtection ?? false;
    const prepared = await new RecordTable(client, TableName).getItem<Prepared>(PREPARED_KEY);
    return tableVerdict(table, { isRecoverable, needsProtection, isKnown: isPrepared(TableName, prepared) });
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    return problem(
      `There is no table ${TableName}, which the stage has adopted. Restore one (docs/recovery.md#a-table).`,
    );
  }
}

/** `isKnown`: whether `restored` has recorded the orders that the table does not know. */
type Facts = Record<'isRecoverable' | 'needsProtection' | 'isKnown', boolean>;

export function tableVerdict(table: TableDescription, { isRecoverable, needsProtection, isKnown }: Facts): Verdict {
  const { TableName, KeySchema, TableStatus, DeletionProtectionEnabled, GlobalSecondaryIndexes = [] } = table;
  const lost = ORDER_INDEXES.filter((wanted) => {
    const found = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === wanted.name);
    return !hasKey(found?.KeySchema, wanted) || !projects(found?.Projection, wanted);
  });
  const unready = GlobalSecondaryIndexes.filter(({ IndexStatus }) => IndexStatus === 'CREATING');
  const wrong = [
    ...(TableStatus === 'ACTIVE' || TableStatus === 'UPDATING' ? [] : [`is ${TableStatus}`]),
    ...(unready.length === 0 ? [] : [`still makes its index ${unready.map(({ IndexName }) => IndexName).join(', ')}`]),
    ...(hasKey(KeySchema, ORDER_KEY) ? [] : [`has another key than ${ORDER_KEY.partition} and ${ORDER_KEY.sort}`]),
    ...(lost.length === 0 ? [] : [`lacks what the stage needs of ${lost.map(({ name }) => name).join(', ')}`]),
    ...(isKnown
      ? []
      : [`may lack orders that the service has: run "loan-orders restored --to ${timeToCompare(table)}"`]),
    ...(isRecoverable ? [] : ['has no point-in-time recovery']),
    ...(DeletionProtectionEnabled || !needsProtection ? [] : ['is not protected from deletion']),
  ];
  if (wrong.length === 0) return ok(`Table ${TableName}, which the stage has adopted, has what the stage needs.`);
  return problem(
    `Table ${TableName}, which the stage has adopted, ${wrong.join(', and ')} (docs/recovery.md#a-table).`,
  );
}

function hasKey(schema: KeySchemaElement[] = [], { partition, sort }: Pick<OrderIndex, 'partition' | 'sort'>): boolean {
  const named = schema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`);
  return named.sort().join() === `HASH ${partition},RANGE ${sort}`;
}

/** An index with more attributes does no harm. */
function projects({ ProjectionType, NonKeyAttributes = [] }: Projection = {}, { facts }: OrderIndex): boolean {
  return ProjectionType === 'ALL' || facts.every((fact) => NonKeyAttributes.includes(fact));
}

/** Checks the requirements for buckets that the stack did not create. */
export async function checkGivenBuckets(view: StageView): Promise<Verdict[]> {
  const client = new S3Client(clientSettings(view.options));
  const look = async (Bucket: string, isIntake: boolean) => {
    const versioning = await client.send(new GetBucketVersioningCommand({ Bucket }));
    const notifications = new GetBucketNotificationConfigurationCommand({ Bucket });
    return bucketVerdict(Bucket, versioning, isIntake ? await client.send(notifications) : undefined);
  };
  const { intake, staging } = settingsIn(view).givenBuckets;
  return Promise.all([...(intake ? [look(intake, true)] : []), ...(staging ? [look(staging, false)] : [])]);
}

/** @param sends the notifications of intake; undefined for staging, which needs none. */
export function bucketVerdict(
  name: string,
  { Status }: Pick<GetBucketVersioningCommandOutput, 'Status'>,
  sends?: Pick<GetBucketNotificationConfigurationCommandOutput, 'EventBridgeConfiguration'>,
): Verdict {
  const missing = [
    ...(Status === 'Enabled' ? [] : ['has no versioning, so an upload may replace what an order was started with']),
    ...(sends && !sends.EventBridgeConfiguration ? ['sends nothing to EventBridge, so no order starts'] : []),
  ];
  if (missing.length === 0) return ok(`Bucket ${name} has what the stage needs.`);
  return problem(`Bucket ${name} ${missing.join(', and ')}. Switch it on (docs/settings.md#what-exists-already).`);
}
