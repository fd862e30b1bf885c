import { Stack } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { ArnPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ANSWERS_PREFIX } from '../../core/staging/rejected-upload.ts';
import { dataKey, useOfKey, WRITE_OBJECTS_WITH_KEY } from '../constructs/data-key.ts';
import { intakeBucket, type KeptTable, recordTable, type StageBucket, stagingBucket } from '../constructs/kept-data.ts';
import { addRetention } from '../constructs/retention.ts';
import { ORDER_INDEXES, ORDER_KEY, type OrderIndex } from '../order-table.ts';
import type { Stage } from '../stages.ts';
import { UPLOADS } from './people-rights.ts';

export interface OrderStorage {
  /** The partner writes, we read. */
  intake: StageBucket;
  /** We write, the partner reads. */
  staging: StageBucket;
  table: KeptTable;
}

export function addStorage(scope: Construct, id: string, stage: Stage): OrderStorage {
  const storage = new Construct(scope, id);
  const intake = intakeBucket(storage, stage);
  // A given bucket has the policy of its owner.
  if (intake instanceof Bucket) allowUploads(intake, stage);
  const staging = stagingBucket(storage, stage);
  addRetention(staging, stage, ANSWERS_PREFIX);
  return { intake, staging, table: orderTable(storage, stage) };
}

/** A table that was restored has its indexes, its encryption and its data. */
function orderTable(storage: Construct, stage: Stage): KeptTable {
  const { table: existing } = stage.existing;
  if (existing !== undefined) return Table.fromTableName(storage, 'Orders', existing);
  const table = recordTable(storage, 'Orders', ORDER_KEY.partition, stage);
  for (const index of ORDER_INDEXES) addIndex(table, index);
  return table;
}

function addIndex(table: Table, { name: indexName, partition, sort, facts }: OrderIndex): void {
  const key = (name: string) => ({ name, type: AttributeType.STRING });
  const { INCLUDE, KEYS_ONLY } = ProjectionType;
  const projection =
    facts.length > 0 ? { projectionType: INCLUDE, nonKeyAttributes: facts } : { projectionType: KEYS_ONLY };
  table.addGlobalSecondaryIndex({ indexName, partitionKey: key(partition), sortKey: key(sort), ...projection });
}

/** Actions for an upload. A large file is uploaded in parts. One with the ACL `bucket-owner-full-control`, which changes nothing, needs two. */
const UPLOAD = ['s3:PutObject', 's3:PutObjectAcl', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];

/** Lets principals of other accounts upload. If the stack does not create the key, its owner must grant access. */
function allowUploads(intake: Bucket, stage: Stage): void {
  const { packages, signatures, decisions } = stage.uploads;
  for (const [kind, arns] of Object.entries({ packages, signatures, decisions })) {
    if (arns.length === 0) continue;
    const resources = UPLOADS[kind as keyof typeof UPLOADS].map((file) => intake.arnForObjects(`orders/*/${file}`));
    intake.addToResourcePolicy(statement(`Upload${kind}`, arns, { actions: UPLOAD, resources }));
  }
  neverPackages(intake, [...signatures, ...decisions], packages);
  const all = [...new Set([...packages, ...signatures, ...decisions])];
  const useOf = useOfKey(Stack.of(intake), '*', WRITE_OBJECTS_WITH_KEY, ['s3']);
  if (all.length > 0) dataKey(intake, stage)?.addToResourcePolicy(statement('Uploads', all, useOf), true);
}

/** The patterns of signatures and decisions match documents in folders of these names, too: a wildcard matches slashes. */
function neverPackages(intake: Bucket, arns: string[], packages: string[]): void {
  const accountOf = (arn: string) => arn.replace(/[^:]*$/, 'root');
  const others = [...new Set(arns)].filter((arn) => !packages.includes(arn) && !packages.includes(accountOf(arn)));
  if (others.length === 0) return;
  const resources = UPLOADS.packages.map((file) => intake.arnForObjects(`orders/*/${file}`));
  // A root stands for its whole account, whose other principals may upload packages.
  const conditions = packages.length > 0 ? { ArnNotEquals: { 'aws:PrincipalArn': packages } } : {};
  const denied = { effect: Effect.DENY, actions: ['s3:PutObject'], resources, conditions };
  intake.addToResourcePolicy(statement('NeverPackages', others, denied));
}

const statement = (sid: string, arns: string[], allowed: ConstructorParameters<typeof PolicyStatement>[0]) =>
  new PolicyStatement({ sid, principals: arns.map((arn) => new ArnPrincipal(arn)), ...allowed });
