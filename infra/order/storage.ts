import { Duration } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, type Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { BY_UNSENT } from '../../core/events/outbox.ts';
import { BY_WAITING } from '../../core/order/order-item.ts';
import { ANSWERS_PREFIX } from '../../core/people/rejected-upload.ts';
import { intakeBucket, recordTable, stagingBucket } from '../constructs/kept-data.ts';
import type { Stage } from '../stages.ts';

/** The data of the orders: the two buckets and the order table. */
export class OrderStorage extends Construct {
  /** The partner writes, we read. */
  readonly intake: Bucket;
  /** We write, the partner reads. */
  readonly staging: Bucket;
  readonly orders: Table;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.intake = intakeBucket(this, stage);
    this.staging = stagingBucket(this, stage);
    this.expireAnswers(stage);
    this.orders = recordTable(this, 'Orders', 'orderRef', stage);
    this.orders.addGlobalSecondaryIndex({
      indexName: 'byStatus',
      partitionKey: { name: 'status', type: AttributeType.STRING },
      sortKey: { name: 'changedAt', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['waitingFor', 'orderId', 'generation', 'failure'],
    });
    this.orders.addGlobalSecondaryIndex({
      indexName: BY_WAITING,
      partitionKey: { name: 'openFor', type: AttributeType.STRING },
      sortKey: { name: 'changedAt', type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [
        'status',
        'statusSince',
        'waitingFor',
        'orderId',
        'generation',
        'execution',
        'failure',
        'resume',
        'release',
        'moveTo',
      ],
    });
    this.orders.addGlobalSecondaryIndex({
      indexName: BY_UNSENT,
      partitionKey: { name: 'unsent', type: AttributeType.STRING },
      sortKey: { name: 'unsentSince', type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }

  /** Answers to rejected uploads expire like the files of an order. */
  private expireAnswers({ retention: { documentsDays, legalHold } }: Stage): void {
    if (legalHold || documentsDays === 'keep') return;
    const prefix = ANSWERS_PREFIX;
    this.staging.addLifecycleRule({ id: 'rejected', prefix, expiration: Duration.days(documentsDays) });
    // S3 leaves a marker with the name of the file, which needs a rule of its own.
    this.staging.addLifecycleRule({ id: 'rejected-markers', prefix, expiredObjectDeleteMarker: true });
  }
}
