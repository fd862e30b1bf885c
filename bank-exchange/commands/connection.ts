import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { startNextExecution } from '../../commands/shared/executions.ts';
import { clientSettings, type PlaceOptions } from '../../commands/shared/place.ts';
import { stackOutputs } from '../../commands/shared/stack-outputs.ts';
import { allOf, RecordTable } from '../../core/aws/record-table.ts';
import type { RunItem } from '../core/run.ts';
import type { UploadItem } from '../core/upload.ts';
import { exchangeStackName } from '../infra/names.ts';

export type ExchangeConnection = Awaited<ReturnType<typeof connectExchange>>;

/**
 * Finds the bank exchange of a stage by its stack's outputs.
 * @throws Refusal if it is not deployed.
 */
export async function connectExchange(options: PlaceOptions) {
  const outputs = await stackOutputs(options, exchangeStackName);
  const settings = clientSettings(options);
  const stateMachineArn = outputs('ExchangeStateMachine');
  return {
    record: new ExchangeRecord(new DynamoDBClient(settings), outputs('ExchangeTable')),
    start: (work: string) =>
      startNextExecution(new SFNClient(settings), { stateMachineArn, input: JSON.stringify({ work }) }),
  };
}

export class ExchangeRecord extends RecordTable {
  constructor(client: DynamoDBClient, table: string) {
    super(client, table, 'subject');
  }

  /** Every item of a kind, newest first. The index `byKind` may lag by a second. */
  async all<Kind extends 'run' | 'upload'>(kind: Kind): Promise<{ run: RunItem; upload: UploadItem }[Kind][]> {
    return (await allOf(this.queryIndex<{ run: RunItem; upload: UploadItem }[Kind]>('byKind', 'kind', kind))).reverse();
  }
}
