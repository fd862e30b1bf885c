import { existsSync } from 'node:fs';
import type { OrderItem } from '../../core/order/order-item.ts';
import { orderQuery } from '../../infra/order-query.ts';
import type { StageConnection } from './connection.ts';
import { logFileOf } from './laptops.ts';

/** An upload may have been checked before its order was recorded. */
const BEFORE_THE_ORDER = 60 * 60_000;

const regionOf = (arn: string) => arn.split(':')[3] ?? '';
const consoleOf = (service: string, region: string) =>
  `https://${region}.console.aws.amazon.com/${service}/home?region=${region}#`;

/** The page of an execution in the Step Functions console. The laptop has none. */
export const executionPage = ({ place }: StageConnection, arn: string): string | undefined =>
  place.local ? undefined : `${consoleOf('states', regionOf(arn))}/v2/executions/details/${arn}`;

/** The page of Logs Insights with the saved query for an order; on the laptop, the file of its log, if it has one. */
export function logPage({ place, outputs }: StageConnection, { orderRef, createdAt }: OrderItem): string | undefined {
  if (place.local) return [logFileOf(place.endpoint)].find((path) => existsSync(path));
  // A stage of an older release names none.
  const groups = outputs('LogGroups', '').split(',').filter(Boolean);
  if (groups.length === 0) return undefined;
  const from = new Date(Date.parse(createdAt) - BEFORE_THE_ORDER).toISOString();
  const [start, end, query] = [from, new Date().toISOString(), orderQuery(orderRef)].map(encoded);
  const source = groups.map((group) => `~'${encoded(group)}`).join('');
  const detail = `~(end~'${end}~start~'${start}~timeType~'ABSOLUTE~tz~'UTC~editorString~'${query}~source~(${source}))`;
  return `${consoleOf('cloudwatch', regionOf(outputs('OrderStateMachine')))}logsV2:logs-insights$3FqueryDetail$3D${detail}`;
}

/** Encodes an ASCII text as CloudWatch's console does in its addresses. */
const encoded = (text: string) =>
  text.replaceAll(/[^\w.-]/g, (one) => `*${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
