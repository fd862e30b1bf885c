import { GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import type { StatusPage } from '../../../core/people/pages.ts';
import type { ChoicesPage } from '../checks/checked-order.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** What the staging bucket shows of all orders. */
export interface Staging {
  /** The orders whose package was rejected. */
  rejected: ReadonlySet<string>;
  /** The `choices.json` of each order that has one. */
  choices: ReadonlyMap<string, ChoicesPage>;
  /** The same of `status.json`. */
  status: ReadonlyMap<string, StatusPage>;
}

export async function readStaging({ s3: client, outputs }: SimulatedWorld): Promise<Staging> {
  const Bucket = outputs.StagingBucket;
  const rejected = new Set<string>();
  const pages = { 'choices.json': new Map<string, ChoicesPage>(), 'status.json': new Map<string, StatusPage>() };
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    for (const { Key = '' } of Contents) {
      const [, ofPackage] = /^rejected\/orders\/([^/]+)\/order\.json\//.exec(Key) ?? [];
      if (ofPackage !== undefined) rejected.add(ofPackage);
      const [, orderRef, name] = /^orders\/([^/]+)\/(choices\.json|status\.json)$/.exec(Key) ?? [];
      if (orderRef === undefined) continue;
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      pages[name as keyof typeof pages].set(orderRef, JSON.parse((await Body?.transformToString()) ?? ''));
    }
  }
  return { rejected, choices: pages['choices.json'], status: pages['status.json'] };
}
