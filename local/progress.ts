import { GetObjectCommand, ListObjectsV2Command, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { PersonsTurn } from './person.ts';

export interface ProgressOptions {
  s3: S3Client;
  dynamodb: DynamoDBDocumentClient;
  stagingBucket: string;
  table: string;
  print(orderRef: string, line: string): void;
  /** Orders that a person signs and decides on, and what the person is told. */
  persons: ReadonlySet<string>;
  tell(turn: PersonsTurn): string[];
}

interface Status {
  status: string;
  waitingFor: string;
  failure?: { error: string; cause: string };
}

interface Timeline {
  item: string;
  at: string;
  what: string;
  [fact: string]: string | number;
}

const ENDS = ['CLOSED', 'VALIDATION_FAILED'];

/** Shows every order's timeline as it grows, from the same places that a partner and an operator look at. */
export class Progress {
  private readonly options: ProgressOptions;
  private readonly shown = new Map<string, string>();
  private readonly ended = new Map<string, string>();

  constructor(options: ProgressOptions) {
    this.options = options;
  }

  /**
   * The end of each order that has one: its final status, `REJECTED`, or the error its execution failed with; of one that
   * waits for the person, the status that it waits in.
   */
  ends(): ReadonlyMap<string, string> {
    return this.ended;
  }

  /** One look at every order there is. */
  async look(): Promise<void> {
    for (const orderRef of await this.orderRefs()) {
      await this.showTimeline(orderRef);
      const end = await this.endOf(orderRef);
      if (end === undefined) this.ended.delete(orderRef);
      else if (this.ended.get(orderRef) !== end) await this.showEnd(orderRef, end);
    }
  }

  private async orderRefs(): Promise<string[]> {
    const { s3, stagingBucket: Bucket } = this.options;
    const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'orders/', Delimiter: '/' }));
    return (page.CommonPrefixes ?? []).map(({ Prefix }) => (Prefix ?? '').slice('orders/'.length, -1));
  }

  private async showTimeline(orderRef: string): Promise<void> {
    const { dynamodb, table, print } = this.options;
    const { Items = [] } = await dynamodb.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'orderRef = :orderRef AND #item BETWEEN :after AND :last',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: {
          ':orderRef': orderRef,
          ':after': `${this.shown.get(orderRef) ?? 'event#'}\u0000`,
          ':last': 'event#~',
        },
      }),
    );
    for (const { orderRef: _orderRef, item, at: _at, what, ...facts } of Items as Timeline[]) {
      const details = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
      print(orderRef, [what, ...details].join(', '));
      this.shown.set(orderRef, item);
    }
  }

  private async endOf(orderRef: string): Promise<string | undefined> {
    const text = await this.staged(orderRef, 'status.json');
    if (text === undefined)
      return (await this.staged(orderRef, 'rejected.json')) === undefined ? undefined : 'REJECTED';
    const { status, waitingFor, failure } = JSON.parse(text) as Status;
    if (ENDS.includes(status) || this.isPersonsTurn(orderRef, waitingFor)) return status;
    return waitingFor === 'operator' ? (failure?.error ?? 'FAILED') : undefined;
  }

  private isPersonsTurn(orderRef: string, waitingFor: string): waitingFor is PersonsTurn['waitingFor'] {
    return this.options.persons.has(orderRef) && (waitingFor === 'signatures' || waitingFor === 'decision');
  }

  private async showEnd(orderRef: string, end: string): Promise<void> {
    this.ended.set(orderRef, end);
    const { waitingFor } = JSON.parse((await this.staged(orderRef, 'status.json')) ?? '{}') as Status;
    if (this.isPersonsTurn(orderRef, waitingFor)) {
      const offers = JSON.parse((await this.staged(orderRef, 'offers.json')) ?? '[]') as PersonsTurn['offers'];
      for (const line of this.options.tell({ orderRef, waitingFor, offers })) this.options.print(orderRef, line);
      return;
    }
    const page = end === 'REJECTED' ? 'rejected.json' : end === 'VALIDATION_FAILED' ? 'issues.json' : undefined;
    this.options.print(orderRef, `ended as ${end}`);
    const text = page && (await this.staged(orderRef, page));
    if (text) for (const line of describe(text)) this.options.print(orderRef, `  ${line}`);
    if (!page && !ENDS.includes(end))
      this.options.print(orderRef, `  ${(await this.staged(orderRef, 'status.json')) ?? ''}`);
  }

  private async staged(orderRef: string, name: string): Promise<string | undefined> {
    const { s3, stagingBucket: Bucket } = this.options;
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: `orders/${orderRef}/${name}` }));
      return await Body?.transformToString();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }
}

/** One line for each problem of `rejected.json`, or for each issue as the service wrote it. */
function describe(text: string): string[] {
  const content = JSON.parse(text) as { problems?: { path: string; problem: string; mend: string }[] } | unknown[];
  if (Array.isArray(content)) return content.map((issue) => JSON.stringify(issue));
  return (content.problems ?? []).map(({ path, problem, mend }) => `${path}: ${problem} ${mend}`);
}
