import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from '../nag.ts';
import type { Stage } from '../stages.ts';
import { dataKey } from './data-key.ts';

const AWS_MANAGED_TABLE = { encryption: TableEncryption.AWS_MANAGED };
const UNFINISHED_UPLOAD_DAYS = 7;
/** SQS's maximum. */
const MESSAGE_DAYS = 14;

/** A bucket that the stack creates, or a given one. Compilers that are exact about optional properties reject a `Bucket` as an `IBucket`. */
export type StageBucket = Omit<IBucket, 'isWebsite'>;

/** The bucket that the partner writes and we read. Every new object in it sends an event. */
export function intakeBucket(scope: Construct, stage: Stage): StageBucket {
  const { intake: given } = stage.buckets;
  if (given !== undefined) return Bucket.fromBucketName(scope, 'GivenIntake', given);
  const intake = bucket(scope, 'Intake', stage);
  sendEvents(intake);
  return intake;
}

/** The bucket that we write and the partner reads. With `sendsEvents`, every new object in it sends an event, too. */
export function stagingBucket(scope: Construct, stage: Stage, sendsEvents = false): StageBucket {
  const { staging: given } = stage.buckets;
  if (given !== undefined) return Bucket.fromBucketName(scope, 'GivenStaging', given);
  const staging = bucket(scope, 'Staging', stage);
  if (sendsEvents) sendEvents(staging);
  return staging;
}

/** A table that the stack creates, or one that exists. */
export type KeptTable = Pick<Table, 'tableArn' | 'tableName'>;

/** A table of records: `partitionKey` identifies the record, the sort key `item` identifies an item of it. */
export function recordTable(scope: Construct, id: string, partitionKey: string, stage: Stage): Table {
  const key = dataKey(scope, stage);
  return new Table(scope, id, {
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: 'item', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    ...(key ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: key } : AWS_MANAGED_TABLE),
    deletionProtection: stage.keepData,
    // A protected table cannot be deleted. So a first deployment that fails leaves it behind: a rollback that tried would fail too.
    removalPolicy: stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
}

/** The dead-letter queue for invocations that do not come from an event queue. Each event queue has its own (event-queue.ts). */
export function deadLetterQueue(scope: Construct, queueName: string, stage: Stage): Queue {
  const queue = encryptedQueue(scope, 'DeadLetters', stage, { queueName });
  acknowledge(queue, 'SQS3', 'This is the dead-letter queue itself. An alarm reports every message in it.');
  return queue;
}

/** A queue with the stage's encryption, for TLS only. It keeps messages until 14 days after they were first sent. */
export function encryptedQueue(scope: Construct, id: string, stage: Stage, props: QueueProps): Queue {
  const key = dataKey(scope, stage);
  return new Queue(scope, id, {
    ...props,
    ...(key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    enforceSSL: true,
    retentionPeriod: Duration.days(MESSAGE_DAYS),
  });
}

export function logGroup(scope: Construct, id: string, stage: Stage, logGroupName: string): LogGroup {
  const key = dataKey(scope, stage);
  return new LogGroup(scope, `${id}Logs`, {
    logGroupName,
    ...(key && { encryptionKey: key }),
    retention: stage.logRetentionDays as RetentionDays,
    removalPolicy: removalPolicy(stage),
  });
}

function bucket(scope: Construct, id: string, stage: Stage): Bucket {
  const key = dataKey(scope, stage);
  return new Bucket(scope, id, {
    versioned: true,
    // A bucket key avoids most calls to KMS.
    ...(key
      ? { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED }),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    removalPolicy: removalPolicy(stage),
    lifecycleRules: [
      { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(UNFINISHED_UPLOAD_DAYS) },
    ],
  });
}

function sendEvents({ node }: Bucket): void {
  // Sets the property of the bucket itself: the L2 construct's flag would add a custom-resource function with wide permissions.
  (node.defaultChild as CfnBucket).notificationConfiguration = {
    eventBridgeConfiguration: { eventBridgeEnabled: true },
  };
}

/** Whether data outlives the stack. */
export const removalPolicy = (stage: Stage): RemovalPolicy =>
  stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
