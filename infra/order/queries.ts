import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { statesLogGroupName } from '../constructs/workflow.ts';
import { orderQuery } from '../order-query.ts';
import type { OrderFunctions } from './functions.ts';

/** The operator replaces this in a query with the value to search for, as in `One order`. */
const REQUEST = '00000000-0000-4000-8000-000000000000';

/** Each call has one line. Only this line has `milliseconds`. */
const CALL = 'fields @timestamp, orderRef, operation, outcome, httpStatus, milliseconds, requestId';

/** The queries that operators need, by their names. The time is chosen in CloudWatch. */
export const QUERIES: Record<string, string> = {
  'One order': orderQuery('my-order'),
  Failures: `fields @timestamp, orderRef, error, message
| filter level = "ERROR"
| sort @timestamp desc
| limit 1000`,
  'Slow calls': `${CALL}
| filter milliseconds >= 5000
| sort milliseconds desc
| limit 1000`,
  'Refused calls': `${CALL}
| filter milliseconds >= 0 and httpStatus >= 400
| sort @timestamp desc
| limit 1000`,
  'One request': `fields @timestamp, orderRef, level, message, operation, outcome, httpStatus, milliseconds
| filter requestId = "${REQUEST}"
| sort @timestamp asc
| limit 100`,
};

export const logGroupsOf = (name: string, functions: OrderFunctions): string[] => [
  ...Object.values(functions).map(({ logGroup }) => logGroup.logGroupName),
  statesLogGroupName(name),
];

/** Saves the queries in CloudWatch Logs Insights, in a folder with the name of the stack's resources. */
export function addQueries(scope: Construct, id: string, name: string, logGroupNames: string[]): void {
  const queries = new Construct(scope, id);
  for (const [title, queryString] of Object.entries(QUERIES))
    new CfnQueryDefinition(queries, title.replaceAll(' ', ''), {
      name: `${name}/${title}`,
      queryString,
      logGroupNames,
    });
}
