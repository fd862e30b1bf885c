import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { stackSettings, variableOf } from '../../core/settings.ts';
import { acknowledgePatterns } from '../nag.ts';
import type { BundledFunction } from './bundled-function.ts';
import type { KeptTable, StageBucket } from './kept-data.ts';

export type TableAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query';
export type StatesAction = 'StartExecution' | 'SendTaskSuccess' | 'ListExecutions' | 'DescribeExecution';

/** What a function may do with objects of a bucket. Each list holds key patterns below a prefix. */
export interface ObjectRights {
  read?: string[];
  readVersion?: string[];
  write?: string[];
  /** Writes in parts, for objects whose length is not known in advance. */
  writeParts?: string[];
  remove?: string[];
  /** Lists and permanently deletes versions. */
  removeVersions?: string[];
  /** Without it, S3 answers 403 for a missing object instead of 404. */
  list?: boolean;
}

/** A service that acts for this account. Without the condition, another account could make it use our role. */
export const ofThisAccount = (scope: Construct, service: string) =>
  new ServicePrincipal(service).withConditions({ StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } });

export function allow(target: BundledFunction, actions: string[], ...resources: string[]): void {
  target.addToRolePolicy(new PolicyStatement({ actions, resources }));
}

export function allowObjects(target: BundledFunction, bucket: StageBucket, rights: ObjectRights, prefix: string): void {
  const onKeys = (actions: string[], patterns: string[] | undefined) => {
    if (!patterns) return;
    const resources = patterns.map((pattern) => bucket.arnForObjects(`${prefix}${pattern}`));
    allow(target, actions, ...resources);
    const reason =
      'The keys contain references that no deployment knows. The function uses every key of the pattern, and no others.';
    if (target.role) acknowledgePatterns(target.role, resources, reason);
  };
  onKeys(['s3:GetObject'], rights.read);
  onKeys(['s3:GetObjectVersion'], rights.readVersion);
  onKeys(['s3:PutObject'], rights.write);
  onKeys(['s3:PutObject', 's3:AbortMultipartUpload'], rights.writeParts);
  onKeys(['s3:DeleteObject'], rights.remove);
  onKeys(['s3:DeleteObjectVersion'], rights.removeVersions);
  if (rights.removeVersions) allow(target, ['s3:ListBucketVersions'], bucket.bucketArn);
  // No condition on the prefix: a HEAD or GET has no prefix, so S3 would answer 403 for a missing object.
  if (rights.list) allow(target, ['s3:ListBucket'], bucket.bucketArn);
}

/** Lets the function decrypt a given secret, and nothing else, with any key of the secret's owner. Which key it is, only AWS knows. */
export function allowKeyOf(target: BundledFunction, secretArn: string): void {
  const [, , , region, account] = secretArn.split(':');
  const keys = `arn:aws:kms:${region}:${account}:key/*`;
  const isOfSecret = {
    'kms:ViaService': `secretsmanager.${region}.amazonaws.com`,
    'kms:EncryptionContext:SecretARN': secretArn,
  };
  const statement = { actions: ['kms:Decrypt'], resources: [keys], conditions: { StringEquals: isOfSecret } };
  target.addToRolePolicy(new PolicyStatement(statement));
  if (target.role) acknowledgePatterns(target.role, [keys], 'Its conditions name the one secret.');
}

/** Gives the function these actions on the table, and queries of these indexes. */
export function allowTable(
  target: BundledFunction,
  { tableArn }: KeptTable,
  actions: readonly TableAction[],
  indexes: readonly string[] = [],
): void {
  allow(
    target,
    actions.map((action) => `dynamodb:${action}`),
    tableArn,
  );
  for (const index of indexes) allow(target, ['dynamodb:Query'], `${tableArn}/index/${index}`);
}

/** Lets the function put events of this source, and of no other, on a bus. A request may have several sources. */
export function allowPutEvents(target: BundledFunction, busArn: string, source: string): void {
  const conditions = {
    'ForAllValues:StringEquals': { 'events:source': source },
    Null: { 'events:source': 'false' },
  };
  target.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [busArn], conditions }));
}

/** Lets the function sign with the key, read its public key, and read the certificate chain that the partner keeps in intake. */
export function allowSigning(target: BundledFunction, key: IKey | undefined, intake: StageBucket): void {
  const chain = 'signing/certificate-chain.pem';
  target.addEnvironment(variableOf(stackSettings, 'certificateChain'), chain);
  allow(target, ['s3:GetObject'], intake.arnForObjects(chain));
  if (!key) return;
  target.addEnvironment(variableOf(stackSettings, 'signingKey'), key.keyArn);
  allow(target, ['kms:Sign', 'kms:GetPublicKey'], key.keyArn);
}
