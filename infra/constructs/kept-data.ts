import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from '../nag.ts';
import type { Stage } from '../stages.ts';

/** The bucket that the partner writes and we read: every object in it is an event. */
export function intakeBucket(scope: Construct, stage: Stage): Bucket {
  const intake = bucket(scope, 'Intake', stage);
  // The bucket's own property: the flag of the L2 construct adds a custom-resource function with wide rights.
  (intake.node.defaultChild as CfnBucket).notificationConfiguration = {
    eventBridgeConfiguration: { eventBridgeEnabled: true },
  };
  return intake;
}

/** The bucket that we write and the partner reads. */
export function stagingBucket(scope: Construct, stage: Stage): Bucket {
  const staging = bucket(scope, 'Staging', stage);
  staging.addLifecycleRule({
    id: 'history',
    noncurrentVersionExpiration: Duration.days(stage.stagingHistoryDays),
  });
  return staging;
}

/** A table of records: `partitionKey` names the record, `item` which item of it. */
export function recordTable(scope: Construct, id: string, partitionKey: string, stage: Stage): Table {
  return new Table(scope, id, {
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: 'item', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption: TableEncryption.AWS_MANAGED,
    deletionProtection: stage.keepData,
    removalPolicy: removalPolicy(stage),
  });
}

/**
 * Without any value until the partner puts its credentials into it: a value in the template could one day be deployed over
 * theirs. The functions say what to do while it is empty.
 */
export function credentialsSecret(scope: Construct, secretName: string, service: string, stage: Stage): Secret {
  const secret = new Secret(scope, 'Credentials', {
    secretName,
    description: `OAuth 2.0 client credentials at ${service}: {"client_id":"…","client_secret":"…","scope":"…"}`,
    removalPolicy: removalPolicy(stage),
  });
  (secret.node.defaultChild as CfnSecret).addPropertyDeletionOverride('GenerateSecretString');
  acknowledge(secret, 'SMG4', 'The service issues the credentials and shows no operation that would change them.');
  return secret;
}

/** Keeps for 14 days what failed after all retries. */
export function deadLetterQueue(scope: Construct, queueName: string): Queue {
  const queue = new Queue(scope, 'DeadLetters', {
    queueName,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  acknowledge(queue, 'SQS3', 'It is the dead-letter queue; an alarm tells of every message in it.');
  return queue;
}

function bucket(scope: Construct, id: string, stage: Stage): Bucket {
  const made = new Bucket(scope, id, {
    versioned: true,
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    removalPolicy: removalPolicy(stage),
    lifecycleRules: [{ id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(7) }],
  });
  acknowledge(
    made,
    'S1',
    "Who read what is the account's own trail to keep (CloudTrail data events): access logs would be one more bucket to guard.",
  );
  return made;
}

/** Whether data outlives the stack. */
function removalPolicy(stage: Stage): RemovalPolicy {
  return stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
