import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { allOf, RecordTable } from '../../core/aws/record-table.ts';
import type { RunItem } from '../core/run.ts';
import type { UploadItem } from '../core/upload.ts';

/** The items that the table's index `byKind` lists. */
interface Kinds {
  run: RunItem;
  upload: UploadItem;
}

/** Reads the exchange's table for operators. */
export class ExchangeRecord {
  readonly table: RecordTable;

  constructor(client: DynamoDBClient, table: string) {
    this.table = new RecordTable(client, table, 'subject');
  }

  /** Every item of a kind, newest first. The index may lag by a second. */
  async all<Kind extends keyof Kinds>(kind: Kind): Promise<Kinds[Kind][]> {
    return (await allOf(this.table.queryIndex<Kinds[Kind]>('byKind', 'kind', kind))).reverse();
  }
}
