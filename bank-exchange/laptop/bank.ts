import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { LocalAws } from '@business-loan-orders/embedded-aws';
import type { Problem } from '../../core/json/json-problems.ts';
import { ExchangeExecutions } from '../commands/executions.ts';
import { ExchangeRecord } from '../commands/record.ts';

/** The answer to an upload, in staging. */
export interface UploadAnswer {
  outcome: string;
  problems?: Problem[];
  failure?: { error: string; cause: string };
}

/** A bank, which uses the two buckets of the exchange, and its operator, who uses the table and the state machine. */
export class Bank {
  readonly outputs: Record<string, string>;
  readonly s3: S3Client;
  readonly stepFunctions: SFNClient;
  /** What is recorded in the exchange's table. */
  readonly record: ExchangeRecord;

  constructor(outputs: Record<string, string>, client: LocalAws['clientSettings']) {
    this.outputs = outputs;
    this.s3 = new S3Client(client);
    this.stepFunctions = new SFNClient(client);
    this.record = new ExchangeRecord(new DynamoDBClient(client), outputs.ExchangeTable ?? '');
  }

  /** Uploads a file to intake. Returns its version. */
  async put(Key: string, content: unknown): Promise<string> {
    const Body = typeof content === 'string' ? content : JSON.stringify(content);
    const put = new PutObjectCommand({ Bucket: this.outputs.IntakeBucket, Key, Body });
    return (await this.s3.send(put)).VersionId ?? '';
  }

  /** The text of a staged file; undefined if it does not exist. */
  async staged(Key: string): Promise<string | undefined> {
    try {
      const { Body } = await this.s3.send(new GetObjectCommand({ Bucket: this.outputs.StagingBucket, Key }));
      return await Body?.transformToString();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  /** The content of a staged file; null if it does not exist. */
  async stagedJson<Value>(key: string): Promise<Value> {
    return JSON.parse((await this.staged(key)) ?? 'null') as Value;
  }

  async stagedKeys(Prefix: string): Promise<string[]> {
    const pages = paginateListObjectsV2({ client: this.s3 }, { Bucket: this.outputs.StagingBucket, Prefix });
    return (await Array.fromAsync(pages)).flatMap(({ Contents = [] }) => Contents.map(({ Key = '' }) => Key));
  }

  async stagedVersion(Key: string): Promise<string | undefined> {
    return (await this.s3.send(new HeadObjectCommand({ Bucket: this.outputs.StagingBucket, Key }))).VersionId;
  }

  /** Starts an execution without waiting for its schedule. Returns its ARN. */
  async start(input: Record<string, string>, name?: string): Promise<string> {
    return new ExchangeExecutions(this.stepFunctions, this.outputs.ExchangeStateMachine ?? '').start(input, name);
  }
}
