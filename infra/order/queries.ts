import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { statesLogGroupName } from '../constructs/workflow.ts';
import type { OrderFunctions } from './functions.ts';

/** What replaces these in a query is what the operator looks for. */
const ORDER = 'my-order';
const REQUEST = '00000000-0000-4000-8000-000000000000';

/** Each call has one line. It alone has `milliseconds`. */
const CALL = 'fields @timestamp, orderRef, operation, outcome, httpStatus, milliseconds, requestId';

/** The queries that operators need, by their names. The time is chosen in CloudWatch. */
export const QUERIES: Record<string, string> = {
  'One order': `fields @timestamp, level, message, operation, outcome, requestId, details.name
| filter orderRef = "${ORDER}" or execution_arn like /:${ORDER}-[0-9]+$/
| sort @timestamp asc
| limit 10000`,
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

/** Saves the queries in CloudWatch Logs Insights, in a folder with the name of the stack's resources. */
export function addQueries(scope: Construct, id: string, name: string, functions: OrderFunctions): void {
  const queries = new Construct(scope, id);
  const groups = Object.values(functions).map(({ logGroup }) => logGroup.logGroupName);
  for (const [title, queryString] of Object.entries(QUERIES)) {
    new CfnQueryDefinition(queries, title.replaceAll(' ', ''), {
      name: `${name}/${title}`,
      queryString,
      logGroupNames: [...groups, statesLogGroupName(name)],
    });
  }
}
