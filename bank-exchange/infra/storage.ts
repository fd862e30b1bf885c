import { AttributeType, ProjectionType, type Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { intakeBucket, recordTable, stagingBucket } from '../../infra/constructs/kept-data.ts';
import type { Stage } from '../../infra/stages.ts';

/** The data of the bank exchange: its own two buckets and its table. */
export class ExchangeStorage extends Construct {
  /** The bank writes, we read. */
  readonly intake: Bucket;
  /** We write, the bank reads. */
  readonly staging: Bucket;
  readonly exchange: Table;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.intake = intakeBucket(this, stage);
    this.staging = stagingBucket(this, stage);
    this.exchange = recordTable(this, 'Exchange', 'subject', stage);
    this.exchange.addGlobalSecondaryIndex({
      indexName: 'byKind',
      partitionKey: { name: 'kind', type: AttributeType.STRING },
      sortKey: { name: 'at', type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
  }
}
