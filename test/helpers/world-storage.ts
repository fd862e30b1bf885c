import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Change } from '@business-loan-orders/embedded-aws';
import { type TimelineEntry, timelineOf } from '../../commands/shared/timeline.ts';
import { readEntry, type StoredEntry } from '../../core/ledger/entry.ts';
import type { Knowledge } from '../../core/ledger/knowledge.ts';
import { withReport } from '../../core/order/operators-word.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { ANSWERS_PREFIX, type RejectedUpload } from '../../core/staging/rejected-upload.ts';
import { TestStage } from './test-stage.ts';

export type DocumentToSign = Record<'fileId' | 'name' | 'key' | 'versionId' | 'sha256' | 'signature', string>;
export type Item = Record<string, unknown> & { orderRef: string; item: string };

export class WorldStorage extends TestStage {
  async put(orderRef: string, file: string, content: unknown): Promise<void> {
    await this.upload(`orders/${orderRef}/${file}`, content);
  }

  async putAndSettle(orderRef: string, file: string, content: unknown): Promise<void> {
    await this.put(orderRef, file, content);
    await this.aws.settle();
  }

  async removeFromIntake(orderRef: string, file: string): Promise<void> {
    await this.s3.send(
      new DeleteObjectCommand({ Bucket: this.outputs.IntakeBucket, Key: `orders/${orderRef}/${file}` }),
    );
  }

  async uploadAndSettle(key: string, content: unknown = 'any bytes'): Promise<void> {
    await this.upload(key, content);
    await this.aws.settle();
  }

  /** Writes a file into the order's folder in staging, as only functions do. Returns its version. */
  async stage(orderRef: string, file: string, content: unknown): Promise<string> {
    return this.upload(`orders/${orderRef}/${file}`, content, this.outputs.StagingBucket);
  }

  async documentsToSign(orderRef: string): Promise<DocumentToSign[]> {
    return (await this.stagedJson<{ documents: DocumentToSign[] }>(orderRef, 'to-sign.json')).documents;
  }

  async removeStaged({ key: Key, versionId: VersionId }: Partial<DocumentToSign> = {}): Promise<void> {
    await this.s3.send(new DeleteObjectCommand({ Bucket: this.outputs.StagingBucket, Key, VersionId }));
  }

  async stagedBytes(orderRef: string, file: string): Promise<Buffer> {
    return this.download(`orders/${orderRef}/${file}`);
  }

  async staged(orderRef: string, file: string): Promise<string | undefined> {
    return this.downloadText(`orders/${orderRef}/${file}`);
  }

  async stagedJson<Value>(orderRef: string, file: string): Promise<Value> {
    return JSON.parse((await this.staged(orderRef, file)) ?? 'null') as Value;
  }

  async stagedKeys(orderRef: string): Promise<string[]> {
    const prefix = `orders/${orderRef}/`;
    return (await this.listStaging(prefix)).map(({ Key = '' }) => Key.slice(prefix.length));
  }

  /** The answers to rejected uploads in a folder that count: those of the order's start supersede the ones before. Oldest first. */
  async answers(orderRef: string): Promise<RejectedUpload[]> {
    const isStarted = (await this.record(orderRef)) !== undefined;
    const answers = await this.allAnswers(`orders/${encodeURIComponent(orderRef)}/`);
    return answers.filter(({ afterStart }) => afterStart || !isStarted);
  }

  /** The answers to rejected uploads whose encoded keys begin like this, oldest first. */
  async allAnswers(prefix = ''): Promise<RejectedUpload[]> {
    const listed = (await this.listStaging(ANSWERS_PREFIX + prefix)).map(({ Key = '', LastModified }) => ({
      Key,
      at: LastModified?.getTime() ?? 0,
    }));
    const oldestFirst = listed.sort((one, other) => one.at - other.at);
    const answers = await Promise.all(oldestFirst.map(({ Key }) => this.download(Key)));
    return answers.map((answer) => JSON.parse(String(answer)) as RejectedUpload);
  }

  /** The problems of the package in the newest answer that counts; undefined if there is none. */
  async packageProblems(orderRef: string): Promise<RejectedUpload['problems'] | undefined> {
    return (await this.answers(orderRef)).findLast(({ kind }) => kind === 'package')?.problems;
  }

  async items(orderRef: string): Promise<Item[]> {
    const { Items = [] } = await this.dynamodb.send(
      new QueryCommand({
        TableName: this.outputs.OrderTable,
        KeyConditionExpression: 'orderRef = :orderRef',
        ExpressionAttributeValues: { ':orderRef': orderRef },
        ConsistentRead: true,
      }),
    );
    return Items as Item[];
  }

  /** The lines of the order's timeline that say this; without it, all of them. */
  async told(orderRef: string, what?: string): Promise<TimelineEntry[]> {
    const lines = timelineOf(await this.items(orderRef));
    return what === undefined ? lines : lines.filter((item) => item.what === what);
  }

  private async item(orderRef: string, item: string): Promise<Item | undefined> {
    const TableName = this.outputs.OrderTable;
    const { Item } = await this.dynamodb.send(
      new GetCommand({ TableName, Key: { orderRef, item }, ConsistentRead: true }),
    );
    return Item as Item | undefined;
  }

  /** Writes these properties into an item of the order, which need not exist, past everything that guards it. */
  async rewrite(orderRef: string, changes: object, item = 'order'): Promise<void> {
    const Item = { ...(await this.item(orderRef, item)), orderRef, item, ...changes };
    await this.dynamodb.send(new PutCommand({ TableName: this.outputs.OrderTable, Item }));
  }

  async record(orderRef: string): Promise<OrderItem | undefined> {
    return (await this.item(orderRef, 'order')) as unknown as OrderItem | undefined;
  }

  protected writesRecord(change: Change, orderRef: string): boolean {
    if (change.type !== 'item' || change.table !== this.outputs.OrderTable) return false;
    const { orderRef: ref, item } = change.item as Record<string, { S?: string } | undefined>;
    return ref?.S === orderRef && item?.S === 'order';
  }

  /** What the ledger knows about an operation; undefined before it begins. */
  async knowledge(orderRef: string, operation: string): Promise<Knowledge | undefined> {
    const entry = await this.item(orderRef, `operation#${operation}`);
    return entry && readEntry(withReport(entry as unknown as StoredEntry)).knowledge;
  }
}
