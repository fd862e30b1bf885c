import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

/** Everything that outlives an execution: the two buckets and the order table. */
export class OrderStorage extends Construct {
  /** The partner writes, we read. */
  readonly intake: Bucket;
  /** We write, the partner reads. */
  readonly staging: Bucket;
  readonly orders: Table;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.intake = bucket(this, 'Intake', stage);
    // The bucket's own property: the flag of the L2 construct adds a custom-resource function with wide rights.
    (this.intake.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    this.staging = bucket(this, 'Staging', stage);
    this.staging.addLifecycleRule({
      id: 'history',
      noncurrentVersionExpiration: Duration.days(stage.stagingHistoryDays),
    });
    this.orders = new Table(this, 'Orders', {
      partitionKey: { name: 'orderRef', type: AttributeType.STRING },
      sortKey: { name: 'item', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryption.AWS_MANAGED,
      deletionProtection: stage.keepData,
      removalPolicy: removalPolicy(stage),
    });
    this.orders.addGlobalSecondaryIndex({
      indexName: 'byStatus',
      partitionKey: { name: 'status', type: AttributeType.STRING },
      sortKey: { name: 'changedAt', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['waitingFor', 'orderId', 'generation', 'failure'],
    });
  }
}

function bucket(scope: Construct, id: string, stage: Stage): Bucket {
  return new Bucket(scope, id, {
    versioned: true,
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    removalPolicy: removalPolicy(stage),
    lifecycleRules: [{ id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(7) }],
  });
}

function removalPolicy(stage: Stage): RemovalPolicy {
  return stage.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
