import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Laptop } from '../../laptop/laptop.ts';

/** The answer to an upload, in staging. */
export interface UploadAnswer {
  outcome: string;
  problems?: { path: string; problem: string; mend: string }[];
  failure?: { error: string; cause: string };
}

/** A bank on the laptop, which uses the two buckets of the exchange, and its operator, who uses the table and the state machine. */
export class Bank {
  private readonly laptop: Laptop;

  constructor(laptop: Laptop) {
    this.laptop = laptop;
  }

  /** Uploads a file to intake. */
  async upload(key: string, content: unknown): Promise<void> {
    const { s3, outputs } = this.laptop;
    await s3.send(new PutObjectCommand({ Bucket: outputs.IntakeBucket, Key: key, Body: JSON.stringify(content) }));
  }

  /** The text of a staged file, or undefined. */
  async staged(key: string): Promise<string | undefined> {
    const { s3, outputs } = this.laptop;
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: outputs.StagingBucket, Key: key }));
      return await Body?.transformToString();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async answer(key: string): Promise<UploadAnswer | undefined> {
    const text = await this.staged(key);
    return text === undefined ? undefined : (JSON.parse(text) as UploadAnswer);
  }

  async stagedKeys(Prefix: string): Promise<string[]> {
    const { s3, outputs } = this.laptop;
    const pages = paginateListObjectsV2({ client: s3 }, { Bucket: outputs.StagingBucket, Prefix });
    return (await Array.fromAsync(pages)).flatMap(({ Contents = [] }) => Contents.map(({ Key = '' }) => Key));
  }

  async stagedVersion(Key: string): Promise<string | undefined> {
    const { s3, outputs } = this.laptop;
    return (await s3.send(new HeadObjectCommand({ Bucket: outputs.StagingBucket, Key }))).VersionId;
  }

  /** The items of a kind in the exchange's table. */
  async recorded<Item>(kind: string): Promise<Item[]> {
    const { dynamodb, outputs } = this.laptop;
    const query = {
      TableName: outputs.ExchangeTable,
      IndexName: 'byKind',
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': kind },
    };
    const pages = paginateQuery({ client: dynamodb }, query);
    return (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items as Item[]);
  }

  /** When the last complete run that fetched requests started, or undefined before the first one. */
  async watermark(): Promise<string | undefined> {
    const { dynamodb, outputs } = this.laptop;
    const Key = { subject: 'exchange', item: 'run#fetch-requests' };
    const { Item } = await dynamodb.send(
      new GetCommand({ TableName: outputs.ExchangeTable, Key, ConsistentRead: true }),
    );
    return Item?.watermark as string | undefined;
  }

  /** Starts a run without waiting for its schedule. */
  async fetchRequests(): Promise<void> {
    const { stepFunctions, outputs } = this.laptop;
    const input = JSON.stringify({ work: 'fetch-requests' });
    await stepFunctions.send(new StartExecutionCommand({ stateMachineArn: outputs.ExchangeStateMachine, input }));
  }
}
