import { dynamoDb } from './cases/dynamodb.ts';
import { events } from './cases/events.ts';
import { functionUrls } from './cases/function-urls.ts';
import { iam } from './cases/iam.ts';
import { kms } from './cases/kms.ts';
import { operations } from './cases/operations.ts';
import { s3 } from './cases/s3.ts';
import { secretsManager } from './cases/secrets-manager.ts';
import { sqs } from './cases/sqs.ts';
import { stepFunctions } from './cases/step-functions.ts';
import type { Suite } from './run.ts';

/** The whole table. */
export const suites: Suite[] = [
  dynamoDb,
  s3,
  sqs,
  events,
  stepFunctions,
  secretsManager,
  kms,
  iam,
  operations,
  functionUrls,
];
