import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { Buckets } from '../../commands/stage/buckets.ts';
import type { Connection } from '../../commands/stage/connection.ts';
import { Executions } from '../../commands/stage/executions.ts';
import { OrderRecord } from '../../commands/stage/record.ts';
import { RejectedUploads } from '../../commands/stage/rejected-uploads.ts';
import { openOrderTable } from '../../core/aws/order-table.ts';
import type { World } from './world.ts';

/** The connection of an operator's commands to this world. */
export function connectionTo({ aws, outputs, stepFunctions }: World): Connection {
  const table = openOrderTable(new DynamoDBClient(aws.clientSettings), outputs.OrderTable ?? '');
  const { StagingBucket: staging = '', IntakeBucket: intake = '' } = outputs;
  const buckets = new Buckets(new S3Client(aws.clientSettings), { staging, intake });
  const rejected = new RejectedUploads(buckets, table);
  return {
    outputs: (name) => aws.outputs['LoanOrders-local']?.[name] ?? '',
    record: new OrderRecord(table),
    buckets: async () => buckets,
    rejected: async () => rejected,
    executions: new Executions(stepFunctions, outputs.OrderStateMachine ?? ''),
    by: async () => 'an-operator',
    withDecider: async (written) => ({ decidedBy: 'an-operator', ...written }),
  };
}
