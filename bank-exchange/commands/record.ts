import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Refusal } from '../../commands/text.ts';
import { allOf, RecordTable } from '../../core/aws/record-table.ts';
import { type LedgerEntry, readEntry, type StoredEntry } from '../../core/ledger/entry.ts';
import type { BatchItem } from '../core/inn-batch.ts';
import type { RequestItem } from '../core/received-requests.ts';
import type { RunItem } from '../core/run.ts';
import type { UploadItem } from '../core/upload.ts';

/** The items that the table's index `byKind` lists. */
interface Kinds {
  run: RunItem;
  request: RequestItem;
  batch: BatchItem;
  upload: UploadItem;
}

/** The name of the ledger operation that sends each kind of upload. */
export const WORK = { status: 'send-status', offers: 'return-offers' } as const;

/** Reads the exchange's table for operators. */
export class ExchangeRecord {
  readonly table: RecordTable<'subject'>;

  constructor(client: DynamoDBClient, table: string) {
    this.table = new RecordTable(client, table, 'subject');
  }

  /** Every item of a kind, newest first. The index may lag by a second. */
  async all<Kind extends keyof Kinds>(kind: Kind): Promise<Kinds[Kind][]> {
    return (await allOf(this.table.queryIndex<Kinds[Kind]>('byKind', 'kind', kind))).reverse();
  }

  /** @throws Refusal when no such request was fetched. */
  async request(requestId: string): Promise<RequestItem> {
    const item = await this.table.getItem<RequestItem>({ subject: `request#${requestId}`, item: 'request' });
    if (item) return item;
    throw new Refusal(
      `There is no request ${requestId} here: no run has fetched it. "loan-orders legacy requests" lists the requests, ` +
        'and "loan-orders legacy fetch requests" looks for new ones.',
    );
  }

  /**
   * An upload and its ledger operation, which exists once the sending has started.
   * @throws Refusal when there is no such upload.
   */
  async upload(upload: string): Promise<{ item: UploadItem; operation: LedgerEntry | undefined }> {
    const item = await this.table.getItem<UploadItem>({ subject: `upload#${upload}`, item: 'upload' });
    if (!item) {
      throw new Refusal(`There is no upload ${upload} here. "loan-orders legacy uploads" lists the uploads.`);
    }
    const operation = await this.table.getItem<StoredEntry>({
      subject: `upload#${upload}`,
      item: `operation#${WORK[item.what]}`,
    });
    return { item, operation: operation && readEntry(operation) };
  }
}
