import { createHash, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { answerOne, type IssuedToken, type OneAnswer, type OneRequest } from '@business-loan-orders/order-simulator';
import type { APIGatewayProxyEventV2, APIGatewayProxyResultV2 } from 'aws-lambda';
import { RecordTable } from '../../../core/aws/record-table.ts';
import { CLIENT, type SimulatorClient, simulatorSettings } from './settings.ts';

interface KeptOrder {
  revision: number;
  order: string;
}

/** The most retries of a request whose order another request has changed. */
const MOST_ATTEMPTS = 10;
const ORDER_PATH = /^\/v1\/orders\/([^/?]+)/;

const { SIMULATOR_TABLE: name = '' } = process.env;
const table = new RecordTable(new DynamoDBClient({}), name, 'kind');

/** Serves the order service's simulator. Its book is a table: an item for each order, for each token and for the client's credentials. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyResultV2> {
  const request = requestOf(event);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const answer = await answered(request);
    if (answer) return resultOf(answer);
  }
  return { statusCode: 503, headers: { 'retry-after': '1' }, body: 'Too many requests change this order at once.' };
}

/** The answer. Its effects have been written to the table. Undefined if another request has changed the order first. */
async function answered(request: OneRequest): Promise<OneAnswer | undefined> {
  const orderId = decodeURIComponent(ORDER_PATH.exec(request.url)?.[1] ?? '');
  const bearer = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const [kept, token, client] = await Promise.all([
    orderId ? table.getItem<KeptOrder>({ kind: 'order', item: orderId }) : undefined,
    bearer ? table.getItem<{ issued: IssuedToken }>({ kind: 'token', item: digestOf(bearer) }) : undefined,
    bearer ? undefined : clientOf(),
  ]);
  const known = bearer && token ? ([bearer, token.issued] as const) : undefined;
  const answer = await answerOne(
    request,
    { order: kept?.order, token: known && [...known] },
    // Without credentials in the table, no token is issued.
    { ...simulatorSettings, clientSecret: randomUUID(), ...client },
  );
  for (const [issued, facts] of answer.tokens) {
    if (issued !== bearer) await table.putItem({ kind: 'token', item: digestOf(issued), issued: facts });
  }
  for (const [item, order] of answer.orders) if (!(await isKept(item, order, kept))) return undefined;
  return answer;
}

/** Writes the order if it has changed. Returns false if somebody else has changed it meanwhile. */
async function isKept(item: string, order: string, before: KeptOrder | undefined): Promise<boolean> {
  if (order === before?.order) return true;
  const next = { kind: 'order', item, order, revision: (before?.revision ?? 0) + 1 };
  if (!before) return table.putItem(next, 'attribute_not_exists(revision)');
  return table.putItem(next, 'revision = :before', { ':before': before.revision });
}

async function clientOf(): Promise<SimulatorClient | undefined> {
  const client = await table.getItem<SimulatorClient>(CLIENT);
  return client && { clientId: client.clientId, clientSecret: client.clientSecret };
}

/** Tokens are stored as digests, so a reader of the table cannot use them. */
const digestOf = (token: string) => createHash('sha256').update(token).digest('hex');

const requestOf = ({ rawPath, rawQueryString, headers, body = '', ...event }: APIGatewayProxyEventV2): OneRequest => ({
  method: event.requestContext.http.method,
  url: rawQueryString ? `${rawPath}?${rawQueryString}` : rawPath,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? ''])),
  body: Buffer.from(body, event.isBase64Encoded ? 'base64' : 'utf8'),
});

function resultOf({ status, headers, body }: OneAnswer): APIGatewayProxyResultV2 {
  return { statusCode: status, headers, body: body.toString('base64'), isBase64Encoded: true };
}
