import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { Connection } from '../../commands/stage/connection.ts';
import { CreationRecord } from '../../commands/stage/creation-record.ts';
import { Dismissals } from '../../commands/stage/dismissals.ts';
import { Executions } from '../../commands/stage/executions.ts';
import { Pauses } from '../../commands/stage/pauses.ts';
import { OrderRecord } from '../../commands/stage/record.ts';
import { RejectedUploads } from '../../commands/stage/rejected-uploads.ts';
import { keptWords } from '../../commands/stage/service-words.ts';
import { openOrderTable } from '../../core/aws/order-table.ts';
import type { World } from './world.ts';

/** The connection of an operator's commands to this world. */
export function connectionTo({ aws, outputs, stepFunctions }: World): Connection {
  const table = openOrderTable(new DynamoDBClient(aws.clientSettings), outputs.OrderTable ?? '');
  const s3 = new S3Client(aws.clientSettings);
  const rejected = new RejectedUploads({ s3, bucket: outputs.StagingBucket ?? '', table });
  return {
    record: new OrderRecord(table),
    rejected: async () => rejected,
    creations: new CreationRecord(table),
    dismissals: new Dismissals(table),
    pauses: new Pauses(table),
    executions: new Executions(stepFunctions, outputs.OrderStateMachine ?? ''),
    serviceWords: (orderRef) => keptWords(aws.clientSettings, outputs.StagingBucket ?? '', orderRef),
    by: async () => 'an-operator',
    withDecider: async (written) => ({ decidedBy: 'an-operator', ...written }),
    release: () => aws.outputs['LoanOrders-local']?.Release ?? '',
  };
}
