import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Laptop } from '../../laptop/laptop.ts';
import { ExchangeRecord } from '../commands/record.ts';

/** The answer to an upload, in staging. */
export interface UploadAnswer {
  outcome: string;
  problems?: { path: string; problem: string; fix: string }[];
  failure?: { error: string; cause: string };
}

/** A bank on the laptop, which uses the two buckets of the exchange, and its operator, who uses the table and the state machine. */
export class Bank {
  /** What is recorded in the exchange's table. */
  readonly record: ExchangeRecord;
  private readonly laptop: Laptop;

  constructor(laptop: Laptop) {
    this.laptop = laptop;
    this.record = new ExchangeRecord(new DynamoDBClient(laptop.aws.clientSettings), laptop.outputs.ExchangeTable ?? '');
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

  /** Starts a run without waiting for its schedule. */
  async fetchRequests(): Promise<void> {
    const { stepFunctions, outputs } = this.laptop;
    const input = JSON.stringify({ work: 'fetch-requests' });
    await stepFunctions.send(new StartExecutionCommand({ stateMachineArn: outputs.ExchangeStateMachine, input }));
  }
}
