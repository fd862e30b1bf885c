import type { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SFNClient } from '@aws-sdk/client-sfn';
import { listVersions, type StoredVersion } from '../../core/aws/object-versions.ts';
import { openOrderTable } from '../../core/aws/order-table.ts';
import { Refusal } from '../refusal.ts';
import { openBuckets } from './buckets.ts';
import { Executions } from './executions.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { OrderRecord } from './record.ts';
import { stackOutputs } from './stack-outputs.ts';

/** A version of a file of an order, in one of the stage's buckets. */
export interface OrderFile extends StoredVersion {
  bucket: 'intake' | 'staging';
}

/** Everything of a stage that evidence is made of. */
export type EvidenceSource = Awaited<ReturnType<typeof connectToEvidence>>;

/** Where a stage expects the chain: docs/evidence.md, "Who may sign". */
const CERTIFICATE_CHAIN = 'signing/evidence-certificate-chain.pem';
const LARGEST_CHAIN = 1024 * 1024;

/** @throws Refusal when the stage is not deployed there. */
export async function connectToEvidence(options: PlaceOptions) {
  const [outputs, settings] = [await stackOutputs(options), clientSettings(options)];
  const dynamodb = new DynamoDBClient(settings);
  const buckets = await openBuckets(options, Promise.resolve(outputs));
  const keyId = outputs('EvidenceKey', '');
  return {
    record: new OrderRecord(openOrderTable(dynamodb, outputs('OrderTable'))),
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
    /** The access key of whoever runs the command. CloudTrail knows whose key it is. */
    by: async () => (await dynamodb.config.credentials()).accessKeyId,
    /** Every version of every file of the order in both buckets. */
    files: async (orderRef: string) => {
      const found: OrderFile[] = [];
      for (const bucket of ['intake', 'staging'] as const) {
        const folder = { client: buckets.client, bucket: buckets[bucket], prefix: `orders/${orderRef}/` };
        for (const version of await listVersions(folder)) found.push({ bucket, ...version });
      }
      return found;
    },
    /** One version as a stream. */
    open: async ({ bucket, key, versionId }: OrderFile): Promise<Readable> => {
      const body = await buckets.open(bucket, key, versionId);
      if (body) return body;
      throw new Refusal(`${key} was removed while this command read it: no archive was written. Repeat the command.`);
    },
    /** The certificate chain of the key, as PEM; undefined if intake has none. */
    certificateChain: async () => (await buckets.intakeFile(CERTIFICATE_CHAIN, LARGEST_CHAIN))?.text,
    /** The stage's key for evidence; undefined if it has none. */
    evidenceKey: keyId === '' ? undefined : { client: new KMSClient(settings), keyId },
  };
}
