import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { stackSettings, variableOf } from '../../core/settings.ts';
import { acknowledgePatterns } from '../nag.ts';
import type { BundledFunction } from './bundled-function.ts';

export type TableAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query';

/** What a function may do with objects of a bucket. Each list holds key patterns below a prefix. */
export interface ObjectRights {
  read?: string[];
  /** Reads a given version. */
  readVersion?: string[];
  write?: string[];
  /** Writes in parts, for objects whose length is not known in advance. */
  writeParts?: string[];
  remove?: string[];
  /** Lists and removes versions for good. */
  removeVersions?: string[];
  /** Without it, S3 answers 403 for a missing object instead of 404. */
  list?: boolean;
}

/** Gives the function these rights below `prefix`, and puts the bucket's name into its environment. */
export function allowObjects(
  target: BundledFunction,
  bucket: Bucket,
  variable: string,
  rights: ObjectRights,
  prefix = 'orders/*/',
): void {
  target.addEnvironment(variable, bucket.bucketName);
  const statement = (actions: string[], patterns: string[] | undefined) => {
    if (!patterns) return;
    const resources = patterns.map((pattern) => bucket.arnForObjects(`${prefix}${pattern}`));
    target.addToRolePolicy(new PolicyStatement({ actions, resources }));
    const reason =
      'The keys contain references that no deployment knows. The function uses every key of the pattern, and no others.';
    if (target.role) acknowledgePatterns(target.role, resources, reason);
  };
  statement(['s3:GetObject'], rights.read);
  statement(['s3:GetObjectVersion'], rights.readVersion);
  statement(['s3:PutObject'], rights.write);
  statement(['s3:PutObject', 's3:AbortMultipartUpload'], rights.writeParts);
  statement(['s3:DeleteObject'], rights.remove);
  statement(['s3:DeleteObjectVersion'], rights.removeVersions);
  if (rights.removeVersions) {
    target.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucketVersions'], resources: [bucket.bucketArn] }));
  }
  // No condition on the prefix: a HEAD or GET has no prefix, so S3 would answer 403 for a missing object.
  if (rights.list) {
    target.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }));
  }
}

/** Gives the function these actions on the table, and puts the table's name into its environment. */
export function allowTable(
  target: BundledFunction,
  table: Table,
  actions: readonly TableAction[],
  variable = variableOf(stackSettings, 'orderTable'),
): void {
  target.addEnvironment(variable, table.tableName);
  target.addToRolePolicy(
    new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] }),
  );
}

/** Lets the function read the secret's value, and puts the secret's ARN into its environment. */
export function allowSecret(target: BundledFunction, secret: Secret): void {
  target.addEnvironment(variableOf(stackSettings, 'credentialsSecret'), secret.secretArn);
  target.addToRolePolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
  );
}

/** Lets the function put events of this source, and of no other, on a bus. A request may have several sources. */
export function allowPutEvents(target: BundledFunction, busArn: string, source: string): void {
  const conditions = {
    'ForAllValues:StringEquals': { 'events:source': source },
    Null: { 'events:source': 'false' },
  };
  target.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [busArn], conditions }));
}

export type StatesAction = 'StartExecution' | 'SendTaskSuccess' | 'ListExecutions' | 'DescribeExecution';

/** The state machine, and all its executions. */
export interface StatesArns {
  stateMachine: string;
  executions: string;
}

/** Gives the function these actions of Step Functions on the order state machine, and puts its ARN into the environment. */
export function allowStates(target: BundledFunction, actions: readonly StatesAction[], arns: StatesArns): void {
  target.addEnvironment(variableOf(stackSettings, 'stateMachine'), arns.stateMachine);
  for (const action of actions) {
    const resource = action === 'DescribeExecution' ? arns.executions : arns.stateMachine;
    target.addToRolePolicy(new PolicyStatement({ actions: [`states:${action}`], resources: [resource] }));
  }
  if (!actions.includes('DescribeExecution') || !target.role) return;
  acknowledgePatterns(target.role, [arns.executions], 'The names of executions are not known at deployment.');
}

/** Lets the function query the table's index of this name. */
export function allowIndex(target: BundledFunction, table: Table, index: string): void {
  const resources = [`${table.tableArn}/index/${index}`];
  target.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources }));
}

/** Lets the function sign with the key, read its public key, and read the certificate chain that the partner keeps in intake. */
export function allowSigning(target: BundledFunction, key: IKey | undefined, intake: Bucket): void {
  const chain = 'signing/certificate-chain.pem';
  target.addEnvironment(variableOf(stackSettings, 'certificateChain'), chain);
  target.addToRolePolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: [intake.arnForObjects(chain)] }));
  if (!key) return;
  target.addEnvironment(variableOf(stackSettings, 'signingKey'), key.keyArn);
  target.addToRolePolicy(new PolicyStatement({ actions: ['kms:Sign', 'kms:GetPublicKey'], resources: [key.keyArn] }));
}
