/** A region whose quotas and prices the command knows. */
export const REGIONS = ['eu-central-1', 'us-east-1'] as const;
export type Region = (typeof REGIONS)[number];

/** When the quotas and prices below were looked up. */
export const AS_OF = '2026-11';

/** A default quota of an AWS account in one region. */
export interface Quota {
  /** As Service Quotas or the service's documentation names it. */
  name: string;
  value: Record<Region, number>;
  /** What the quota counts. */
  unit: 'each second' | 'at once' | 'each 10 seconds';
  /** Whether AWS raises it on request. If not, `instead` says what to do. */
  instead?: string;
}

const everywhere = (value: number): Record<Region, number> => ({ 'eu-central-1': value, 'us-east-1': value });

/**
 * Default quotas. docs/capacity.md says which AWS page each one is from, and which of them could be read there. us-east-1 is one of the
 * few regions with larger quotas of Step Functions and EventBridge; eu-central-1 has those of nearly all other regions.
 */
export const quotas = {
  startExecution: {
    name: 'Step Functions StartExecution',
    value: { 'eu-central-1': 150, 'us-east-1': 300 },
    unit: 'each second',
  },
  stateTransition: {
    name: 'Step Functions StateTransition',
    value: { 'eu-central-1': 800, 'us-east-1': 5_000 },
    unit: 'each second',
  },
  openExecutions: { name: 'Step Functions open executions', value: everywhere(1_000_000), unit: 'at once' },
  concurrency: { name: 'Lambda concurrent executions', value: everywhere(1_000), unit: 'at once' },
  burst: {
    name: 'Lambda new environments of a function',
    value: everywhere(1_000),
    unit: 'each 10 seconds',
    instead: 'nothing: AWS does not raise it, and throttled runs are retried',
  },
  putEvents: {
    name: 'EventBridge PutEvents',
    value: { 'eu-central-1': 2_400, 'us-east-1': 10_000 },
    unit: 'each second',
  },
  eventInvocations: {
    name: 'EventBridge invocations',
    value: { 'eu-central-1': 4_500, 'us-east-1': 18_750 },
    unit: 'each second',
  },
  s3Puts: {
    name: 'S3 PUT, POST, LIST of a prefix',
    value: everywhere(3_500),
    unit: 'each second',
    instead: 'nothing: S3 splits busy prefixes by itself',
  },
  s3Gets: {
    name: 'S3 GET, HEAD of a prefix',
    value: everywhere(5_500),
    unit: 'each second',
    instead: 'nothing: S3 splits busy prefixes by itself',
  },
  dynamodbWrites: {
    name: 'DynamoDB write units of a new table',
    value: everywhere(4_000),
    unit: 'each second',
    instead: 'warm throughput of the table',
  },
  dynamodbReads: {
    name: 'DynamoDB read units of a new table',
    value: everywhere(12_000),
    unit: 'each second',
    instead: 'warm throughput of the table',
  },
  signing: { name: 'KMS requests with one kind of key', value: everywhere(1_000), unit: 'each second' },
  secrets: { name: 'Secrets Manager GetSecretValue', value: everywhere(10_000), unit: 'each second' },
} as const satisfies Record<string, Quota>;

export type QuotaName = keyof typeof quotas;

/** How many executions may start at the same moment: the token bucket of StartExecution. It refills at the quota's rate. */
export const START_BUCKET: Record<Region, number> = { 'eu-central-1': 800, 'us-east-1': 1_300 };

/** Step Functions ends an execution whose history grows beyond this. AWS does not raise it. */
export const HISTORY_EVENTS = 25_000;
