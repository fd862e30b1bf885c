import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { allOf, RecordTable } from '../../core/aws/record-table.ts';
import type { RunItem } from '../core/run.ts';
import type { UploadItem } from '../core/upload.ts';

export class ExchangeRecord extends RecordTable {
  constructor(client: DynamoDBClient, table: string) {
    super(client, table, 'subject');
  }

  /** Every item of a kind, newest first. The index `byKind` may lag by a second. */
  async all<Kind extends 'run' | 'upload'>(kind: Kind): Promise<{ run: RunItem; upload: UploadItem }[Kind][]> {
    return (await allOf(this.queryIndex<{ run: RunItem; upload: UploadItem }[Kind]>('byKind', 'kind', kind))).reverse();
  }
}
