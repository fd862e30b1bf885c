import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import type { ChoicesPage } from '../checks/evidence.ts';
import { PEOPLES_KEY } from '../people/peoples-key.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** What the staging bucket shows of all orders. */
export interface Staging {
  /** The orders that have a `rejected.json`. */
  rejected: ReadonlySet<string>;
  /** The `choices.json` of each order that has one. */
  choices: ReadonlyMap<string, ChoicesPage>;
}

export async function readStaging({ aws }: Pick<SimulatedWorld, 'aws'>): Promise<Staging> {
  const client = new S3Client({ ...aws.directClientSettings, credentials: PEOPLES_KEY });
  const Bucket = aws.outputs['LoanOrders-local']?.StagingBucket;
  const rejected = new Set<string>();
  const choices = new Map<string, ChoicesPage>();
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: 'orders/' })) {
    for (const { Key = '' } of Contents) {
      const [, orderRef = '', ...name] = Key.split('/');
      if (name.at(-1) === 'rejected.json') rejected.add(orderRef);
      if (name.join('/') !== 'choices.json') continue;
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      choices.set(orderRef, JSON.parse((await Body?.transformToString()) ?? '') as ChoicesPage);
    }
  }
  return { rejected, choices };
}
