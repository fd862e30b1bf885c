import { GetObjectCommand, NoSuchKey, paginateListObjectsV2, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { loggable } from '../../core/errors.ts';

/** What the order service answered to a call that it refused, or an answer that could not be used, with the facts of the call. */
export interface ServiceWords extends ReturnType<typeof loggable> {
  /** The key in staging. */
  key: string;
  at: string;
  error: string;
  /** The answer's text, at most 64 KiB. It may hold data of the order. */
  body: string;
}

/** The newest answers of an order, newest first, and how many older ones staging has. */
export interface KeptWords {
  newest: ServiceWords[];
  more: number;
}

const MOST_SHOWN = 3;

/** Reads what functions kept in staging under `errors/`. Nothing of it is written anywhere else. */
export async function keptWords(settings: S3ClientConfig, Bucket: string, orderRef: string): Promise<KeptWords> {
  const client = new S3Client(settings);
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client },
    { Bucket, Prefix: `orders/${orderRef}/errors/` },
  )) {
    keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
  }
  // The names begin with the time.
  const shown = keys.sort().reverse().slice(0, MOST_SHOWN);
  const newest = await Promise.all(shown.map((key) => readWords(client, Bucket, key)));
  return { newest: newest.filter((words) => words !== undefined), more: keys.length - shown.length };
}

/** Undefined if the file was removed meanwhile. */
async function readWords(client: S3Client, Bucket: string, key: string): Promise<ServiceWords | undefined> {
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key }));
    return { ...(JSON.parse((await Body?.transformToString()) ?? '{}') as Omit<ServiceWords, 'key'>), key };
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}
