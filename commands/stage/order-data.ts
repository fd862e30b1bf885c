import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { isDone } from '../../core/aws/conditional-write.ts';
import type { LegalHold } from '../../core/order/order-item.ts';
import { mayRemove, type OrderData, type RecordItem } from '../../core/recovery/order-data.ts';
import { Executions } from './executions.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { OrderRecord } from './record.ts';
import { stackOutputs } from './stack-outputs.ts';

/** What holding and erasing an order need. */
export interface DataConnection {
  record: OrderRecord;
  executions: Executions;
  data: OrderData;
  /** Sets the hold, or removes it. Returns false if the order has changed since it was read. */
  changeHold(change: HoldChange): Promise<boolean>;
  /** Whether the deployed stage keeps everything. */
  isStageOnHold: boolean;
  /** The access key of whoever runs the command. CloudTrail knows whose key it is. */
  by: string;
}

export interface HoldChange {
  orderRef: string;
  /** The status that `openFor` was derived from. */
  status: string;
  /** Undefined ends the hold. */
  hold: LegalHold | undefined;
  /** What is removed next once the hold has ended, if the order is still over. Undefined leaves it as it is. */
  openFor?: string | undefined;
}

/** @throws Refusal when the stage is not deployed there. */
export async function connectToData(options: PlaceOptions): Promise<DataConnection> {
  const [outputs, settings] = [await stackOutputs(options), clientSettings(options)];
  const client = new DynamoDBClient(settings);
  const dynamodb = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const [table, s3] = [outputs('OrderTable'), new S3Client(settings)];
  return {
    record: new OrderRecord(dynamodb, table),
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
    data: orderData(dynamodb, table, s3, { intake: outputs('IntakeBucket'), staging: outputs('StagingBucket') }),
    changeHold: (change) => changeHold(dynamodb, table, change),
    isStageOnHold: outputs('LegalHold') === 'true',
    by: (await client.config.credentials()).accessKeyId,
  };
}

function orderData(
  client: DynamoDBDocumentClient,
  TableName: string,
  s3: S3Client,
  { intake, staging }: { intake: string; staging: string },
): OrderData {
  return {
    intake: { client: s3, bucket: intake },
    staging: { client: s3, bucket: staging },
    readItems: async (orderRef, prefix) => {
      const items: RecordItem[] = [];
      const query = {
        TableName,
        KeyConditionExpression: prefix
          ? 'orderRef = :orderRef AND begins_with(#item, :prefix)'
          : 'orderRef = :orderRef',
        ...(prefix && { ExpressionAttributeNames: { '#item': 'item' } }),
        ExpressionAttributeValues: { ':orderRef': orderRef, ...(prefix && { ':prefix': prefix }) },
        ConsistentRead: true,
      };
      for await (const { Items = [] } of paginateQuery({ client }, query)) items.push(...(Items as RecordItem[]));
      return items;
    },
    putOrder: (Item) => isDone(client.send(new PutCommand({ TableName, Item, ConditionExpression: mayRemove(Item) }))),
    putItem: async (Item) => void (await client.send(new PutCommand({ TableName, Item }))),
    removeItem: async ({ orderRef, item }) =>
      void (await client.send(new DeleteCommand({ TableName, Key: { orderRef, item } }))),
    stage: async (Key, Body) =>
      void (await s3.send(new PutObjectCommand({ Bucket: staging, Key, Body, ContentType: 'application/json' }))),
  };
}

function changeHold(
  client: DynamoDBDocumentClient,
  TableName: string,
  { orderRef, status, hold, openFor }: HoldChange,
): Promise<boolean> {
  const index = openFor === undefined ? '' : 'SET openFor = :openFor';
  const update = new UpdateCommand({
    TableName,
    Key: { orderRef, item: 'order' },
    UpdateExpression: hold ? 'SET legalHold = :hold' : `REMOVE legalHold ${index}`,
    ConditionExpression:
      `#status = :status AND attribute_${hold ? 'not_' : ''}exists(legalHold)` +
      (openFor === undefined ? '' : ' AND waitingFor = :nobody'),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':status': status,
      ...(hold && { ':hold': hold }),
      ...(openFor !== undefined && { ':openFor': openFor, ':nobody': 'nobody' }),
    },
  });
  return isDone(client.send(update));
}
