import type { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { fileClientDefaults } from '../../core/aws/aws-client.ts';
import { listVersions, type StoredVersion } from '../../core/aws/object-versions.ts';
import { openOrderTable } from '../../core/aws/order-table.ts';
import { Refusal } from '../refusal.ts';
import { Executions } from './executions.ts';
import { clientSettings, type PlaceOptions } from './place.ts';
import { OrderRecord } from './record.ts';
import { stackOutputs } from './stack-outputs.ts';

/** A version of a file of an order, in one of the stage's buckets. */
export interface OrderFile extends StoredVersion {
  bucket: 'intake' | 'staging';
}

/** Everything of a stage that evidence is made of. */
export interface EvidenceSource {
  record: OrderRecord;
  executions: Executions;
  /** The access key of whoever runs the command. CloudTrail knows whose key it is. */
  by: () => Promise<string>;
  /** Every version of every file of the order in both buckets. */
  files: (orderRef: string) => Promise<OrderFile[]>;
  /** One version as a stream. */
  open: (file: Pick<OrderFile, 'bucket' | 'key' | 'versionId'>) => Promise<Readable>;
  /** The certificate chain of the key, as PEM; undefined if intake has none. */
  certificateChain: () => Promise<string | undefined>;
  /** The stage's key for evidence; undefined if it has none. */
  evidenceKey: { client: KMSClient; keyId: string } | undefined;
}

/** Where a stage expects the chain: docs/evidence.md, "Who may sign". */
const CERTIFICATE_CHAIN = 'signing/evidence-certificate-chain.pem';

/** @throws Refusal when the stage is not deployed there. */
export async function connectToEvidence(options: PlaceOptions): Promise<EvidenceSource> {
  const [outputs, settings] = [await stackOutputs(options), clientSettings(options)];
  const dynamodb = new DynamoDBClient(settings);
  // S3's own checksum would only cost time: the manifest has the SHA-256 of each file.
  const { requestHandler } = fileClientDefaults;
  const client = new S3Client({ ...settings, requestHandler, responseChecksumValidation: 'WHEN_REQUIRED' });
  const buckets = { intake: outputs('IntakeBucket'), staging: outputs('StagingBucket') };
  const keyId = outputs('EvidenceKey', '');
  const open: EvidenceSource['open'] = async ({ bucket, key: Key, versionId: VersionId }) => {
    const { Body } = await client
      .send(new GetObjectCommand({ Bucket: buckets[bucket], Key, VersionId }))
      .catch((error: Error) => {
        throw isGone(error) ? goneMeanwhile(Key) : error;
      });
    return Body as Readable;
  };
  return {
    record: new OrderRecord(openOrderTable(dynamodb, outputs('OrderTable'))),
    executions: new Executions(new SFNClient(settings), outputs('OrderStateMachine')),
    by: async () => (await dynamodb.config.credentials()).accessKeyId,
    open,
    files: async (orderRef) => {
      const found: OrderFile[] = [];
      for (const bucket of ['intake', 'staging'] as const) {
        const folder = { client, bucket: buckets[bucket], prefix: `orders/${orderRef}/` };
        for (const version of await listVersions(folder)) found.push({ bucket, ...version });
      }
      return found;
    },
    certificateChain: async () => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: buckets.intake, Key: CERTIFICATE_CHAIN }));
        return await Body?.transformToString('latin1');
      } catch (error) {
        if (isGone(error as Error)) return undefined;
        throw error;
      }
    },
    evidenceKey: keyId === '' ? undefined : { client: new KMSClient(settings), keyId },
  };
}

function isGone({ name }: Error): boolean {
  return name === 'NoSuchKey' || name === 'NoSuchVersion';
}

function goneMeanwhile(key: string): Refusal {
  return new Refusal(`${key} was removed while this command read it: no archive was written. Repeat the command.`);
}
