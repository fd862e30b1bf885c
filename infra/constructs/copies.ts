import { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, type BucketProps, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge, acknowledgePatterns } from '../nag.ts';
import type { Stage } from '../stages.ts';

/**
 * Lets S3 copy each new version of a bucket's files to a bucket elsewhere. Delete markers are not copied, so the copies survive a mistake.
 * The policy of a bucket in another account is set there.
 */
export class Copies {
  readonly #role: Role;
  readonly #destination: IBucket;
  readonly #key: IKey | undefined;
  readonly #isElsewhere: boolean;

  constructor(scope: Construct, id: string, { copies }: Stage, bucketArn: string) {
    const place = new Construct(scope, `${id}Copies`);
    const { account, key } = copies ?? {};
    this.#role = new Role(place, 'Role', { assumedBy: new ServicePrincipal('s3.amazonaws.com') });
    this.#destination = Bucket.fromBucketAttributes(place, 'Bucket', { bucketArn, ...(account && { account }) });
    this.#key = key === undefined ? undefined : Key.fromKeyArn(place, 'Key', key);
    this.#isElsewhere = account !== undefined && account !== Stack.of(scope).account;
  }

  properties(): Pick<BucketProps, 'replicationRole' | 'replicationRules'> {
    const rule = {
      id: 'copy',
      destination: this.#destination,
      deleteMarkerReplication: false,
      ...(this.#isElsewhere && { accessControlTransition: true }),
      ...(this.#key && { sseKmsEncryptedObjects: true, kmsKey: this.#key }),
    };
    return { replicationRole: this.#role, replicationRules: [rule] };
  }

  /** Gives S3 the rights on both buckets and their keys. */
  allow(source: Bucket): void {
    const { encryptionKey: sourceDecryptionKey } = source;
    const destination = { bucket: this.#destination, ...(this.#key && { encryptionKey: this.#key }) };
    source.grantReplicationPermission(this.#role, {
      destinations: [destination],
      ...(sourceDecryptionKey && { sourceDecryptionKey }),
    });
    const files = [source.arnForObjects('*'), this.#destination.arnForObjects('*')];
    const reason = 'S3 copies every file of the bucket, and the role writes only copies.';
    acknowledgePatterns(this.#role, files, reason);
    for (const action of this.#key ? ['GenerateDataKey*', 'ReEncrypt*'] : [])
      acknowledge(this.#role, `IAM5[Action::kms:${action}]`, reason);
  }
}
