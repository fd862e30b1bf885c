/** When the prices and quotas below were looked up. docs/capacity.md names the pages. */
export const AS_OF = '2026-11';

/** The regions whose prices and quotas are known. Nearly all others have the quotas of the first one. */
export const REGIONS = ['eu-central-1', 'us-east-1'] as const;
export type Region = (typeof REGIONS)[number];

const MILLION = 1_000_000;

const by = (frankfurt: number, virginia = frankfurt) => ({ 'eu-central-1': frankfurt, 'us-east-1': virginia });

/** List prices in US dollars, without free tiers and discounts. */
export const prices = {
  transition: by(0.025 / 1_000),
  run: by(0.2 / MILLION),
  /** On arm64. */
  gigabyteSecond: by(0.0000133334),
  /** Two units: the record of an order with three documents has between one and two KB. */
  write: by((2 * 0.7625) / MILLION, (2 * 0.625) / MILLION),
  /** One unit, for up to 4 KB. */
  read: by(0.1525 / MILLION, 0.125 / MILLION),
  s3Put: by(0.0054 / 1_000, 0.005 / 1_000),
  s3Get: by(0.00043 / 1_000, 0.0004 / 1_000),
  /** S3 sends events only on request, so each may be charged. Some publications say that they are free. */
  event: by(1 / MILLION),
  sqsRequest: by(0.4 / MILLION),
  logByte: by(0.63e-9, 0.5e-9),
  // From here on for a month.
  metric: by(0.3),
  /** CloudWatch charges an alarm by each metric that it reads. */
  alarmMetric: by(0.1),
  dashboard: by(3),
  recoveryByte: by(0.244e-9, 0.2e-9),
};

/**
 * Default quotas of an AWS account in one region, and what counts towards each. Those of S3, KMS and EventBridge's invocations are
 * missing, because orders of any size reach one of these earlier.
 */
export const quotas = [
  { quota: 'Step Functions StateTransition', limit: by(800, 5_000), counts: 'transitions' },
  { quota: 'Step Functions StartExecution', limit: by(150, 300), counts: 'executions' },
  { quota: 'Step Functions open executions', limit: by(MILLION), counts: 'openOrders' },
  { quota: 'Lambda concurrent executions', limit: by(1_000), counts: 'runsAtOnce' },
  { quota: 'EventBridge PutEvents', limit: by(2_400, 10_000), counts: 'eventPuts' },
  // 4,000 and 12,000 units. The warm throughput of the table raises both.
  { quota: 'DynamoDB writes of a new table', limit: by(2_000), counts: 'dynamodbWrites' },
  { quota: 'DynamoDB reads of a new table', limit: by(12_000), counts: 'dynamodbReads' },
] as const;
