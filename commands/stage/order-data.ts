import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type OrderTable, openOrderTable } from '../../core/aws/order-table.ts';
import type { LegalHold } from '../../core/order/order-item.ts';
import type { OrderData } from '../../core/recovery/removed-order.ts';
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
  const [table, s3] = [openOrderTable(client, outputs('OrderTable')), new S3Client(settings)];
  return {
    record: new OrderRecord(table),
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
    data: {
      table,
      intake: { client: s3, bucket: outputs('IntakeBucket') },
      staging: { client: s3, bucket: outputs('StagingBucket') },
    },
    changeHold: (change) => changeHold(table, change),
    isStageOnHold: outputs('LegalHold') === 'true',
    by: (await client.config.credentials()).accessKeyId,
  };
}

function changeHold(table: OrderTable, { orderRef, status, hold, openFor }: HoldChange): Promise<boolean> {
  const condition =
    `#status = :status AND attribute_${hold ? 'not_' : ''}exists(#legalHold)` +
    (openFor === undefined ? '' : ' AND waitingFor = :nobody');
  return table.updateItem(
    { orderRef, item: 'order' },
    { status, legalHold: hold, ...(!hold && openFor !== undefined && { openFor }) },
    condition,
    openFor === undefined ? {} : { ':nobody': 'nobody' },
  );
}
