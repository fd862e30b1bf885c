import { dynamoDb } from './cases/dynamodb.ts';
import type { Suite } from './run.ts';

/** The whole table. */
export const suites: Suite[] = [dynamoDb];
