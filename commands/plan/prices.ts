import type { Region } from './quotas.ts';

/** List prices in US dollars, without free tiers and discounts. The page is below https://aws.amazon.com. */
export interface Price {
  page: string;
  /** The price of one unit. */
  of: Record<Region, number>;
}

const MILLION = 1_000_000;

const price = (page: string, frankfurt: number, virginia: number, units: number): Price => ({
  page,
  of: { 'eu-central-1': frankfurt / units, 'us-east-1': virginia / units },
});

export const prices = {
  transition: price('/step-functions/pricing', 0.025, 0.025, 1_000),
  lambdaRequest: price('/lambda/pricing', 0.2, 0.2, MILLION),
  /** A gigabyte-second on arm64. */
  lambdaGigabyteSecond: price('/lambda/pricing', 0.0000133334, 0.0000133334, 1),
  dynamodbWriteUnit: price('/dynamodb/pricing/on-demand', 0.7625, 0.625, MILLION),
  dynamodbReadUnit: price('/dynamodb/pricing/on-demand', 0.1525, 0.125, MILLION),
  s3Put: price('/s3/pricing', 0.0054, 0.005, 1_000),
  s3Get: price('/s3/pricing', 0.00043, 0.0004, 1_000),
  /** S3 sends events only on request, so each may be charged. Some publications say that they are free. */
  event: price('/eventbridge/pricing', 1, 1, MILLION),
  logGigabyte: price('/cloudwatch/pricing', 0.63, 0.5, 1),
  // From here on for a month, or for one of what a stage does without orders too.
  metric: price('/cloudwatch/pricing', 0.3, 0.3, 1),
  alarmMetric: price('/cloudwatch/pricing', 0.1, 0.1, 1),
  dashboard: price('/cloudwatch/pricing', 3, 3, 1),
  sqsRequest: price('/sqs/pricing', 0.4, 0.4, MILLION),
  /** A start by EventBridge Scheduler. */
  schedule: price('/eventbridge/pricing', 1, 1, MILLION),
  secret: price('/secrets-manager/pricing', 0.4, 0.4, 1),
  key: price('/kms/pricing', 1, 1, 1),
  recoveryGigabyte: price('/dynamodb/pricing/on-demand', 0.244, 0.2, 1),
} as const satisfies Record<string, Price>;
