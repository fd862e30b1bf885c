import { DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { openOrderTable } from '../core/aws/order-table.ts';
import { type StoredEntry, stored } from '../core/ledger/entry.ts';
import { OPEN } from '../core/ledger/knowledge.ts';
import { isPaused, PAUSE_KEY } from '../core/order/stage-pause.ts';
import type { StatusPage } from '../core/people/pages.ts';
import { findPause } from './pause.ts';
import { type Answer, Refusal } from './refusal.ts';
import type { Buckets, StoredPackage } from './stage/buckets.ts';
import type { Connection } from './stage/connection.ts';
import { clientSettings, type PlaceOptions, queueClientSettings } from './stage/place.ts';
import { CREATION, OrderRecord } from './stage/record.ts';
import { columns, some } from './text.ts';

export interface RestoredOptions {
  /** The time that the table was restored to. */
  to: Date;
  /** The restored table, while the stage still uses another one. */
  table?: string;
}

/** An order that the service may have. `orderId` is what its `status.json` in staging says, if it says one. */
interface UnknownOrder {
  orderRef: string;
  orderId: string | undefined;
}

/**
 * `restored --to <time> [--table <name>]`: prepares a table of orders that was restored to a point in time. The service may have created
 * orders since whose creation the table does not know. Each is recorded as a creation of unknown outcome, so it waits for an operator and
 * is not created again. A table that the stage does not use yet is paused like the stage. A table that the stage uses gets back the orders
 * that it has no record of: their packages are checked again. A repeat does no harm.
 */
export async function restored(
  connection: Connection,
  place: PlaceOptions,
  { to, table }: RestoredOptions,
): Promise<Answer> {
  const record = table === undefined ? connection.record : await openPaused(connection, place, table);
  if (!isPaused(await findPause(record.table))) {
    throw new Refusal(`Stage ${place.stage} is not paused: nothing was changed. Run "loan-orders pause" first.`);
  }
  const buckets = await connection.buckets();
  const orders = await record.list();
  const lost = await lostPackages(buckets, new Set(orders.map(({ orderRef }) => orderRef)), to);
  const received = orders.filter(({ status, orderId }) => status === 'RECEIVED' && orderId === undefined);
  const unknown: UnknownOrder[] = [];
  for (const { orderRef } of [...received, ...lost]) {
    if (!(await forgetCreation(record, orderRef, to))) continue;
    unknown.push({ orderRef, orderId: (await buckets.staged<StatusPage>(orderRef, 'status.json'))?.orderId });
  }
  if (table === undefined) await checkAgain(connection, place, lost);
  const orderRefs = lost.map(({ orderRef }) => orderRef);
  return { lines: linesOf(unknown, orderRefs, table), json: { table, unknown, withoutRecord: orderRefs } };
}

/** The records in the restored table, which is paused like the table that the stage uses. That one may be gone. */
async function openPaused({ record, by }: Connection, place: PlaceOptions, name: string): Promise<OrderRecord> {
  const table = openOrderTable(new DynamoDBClient(clientSettings(place)), name);
  const pause = await findPause(record.table).catch(async (error) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    return { since: new Date().toISOString(), by: await by(), reason: 'The table was restored' };
  });
  if (isPaused(pause)) await table.putItem({ ...PAUSE_KEY, ...pause });
  return new OrderRecord(table);
}

/** The packages without a record that may have become orders: they came after that time, or staging has a page of their order. */
async function lostPackages(buckets: Buckets, recorded: ReadonlySet<string>, to: Date): Promise<StoredPackage[]> {
  const lost: StoredPackage[] = [];
  for await (const found of buckets.packages()) {
    if (recorded.has(found.orderRef)) continue;
    if (found.storedAt >= to || (await buckets.staged(found.orderRef, 'status.json'))) lost.push(found);
  }
  return lost;
}

/** Records that the outcome of the creation is unknown, unless it was recorded since. Returns whether it is unknown. */
async function forgetCreation({ table }: OrderRecord, orderRef: string, to: Date): Promise<boolean> {
  const key = { orderRef, item: CREATION };
  const found = await table.getItem<StoredEntry>(key);
  const since = to.toISOString();
  if (found && (found.state === 'done' || found.intendedAt >= since)) return found.state === 'open';
  const attempt = { attemptId: 'restored', attempts: found?.attempts ?? 1, intendedAt: new Date().toISOString() };
  const entry = { ...key, ...stored(OPEN), ...attempt, failure: 'OutcomeUnknown', call: {} };
  return table.putItem(entry, 'attribute_not_exists(attempts) OR intendedAt < :since', { ':since': since });
}

/** Sends the event of each package again. */
async function checkAgain({ outputs }: Connection, place: PlaceOptions, lost: readonly StoredPackage[]): Promise<void> {
  const client = new SQSClient(queueClientSettings(place));
  for (const { key } of lost) {
    const MessageBody = JSON.stringify({ detail: { object: { key } } });
    await client.send(new SendMessageCommand({ QueueUrl: outputs('CheckPackageQueueUrl'), MessageBody }));
  }
}

function linesOf(unknown: readonly UnknownOrder[], lost: readonly string[], table: string | undefined): string[] {
  const next =
    table === undefined
      ? 'Their packages are checked again. Then "loan-orders resume".'
      : `Name ${table} in the stage's file, deploy, and repeat this without --table.`;
  const known = ({ orderId }: UnknownOrder) => (orderId === undefined ? '' : `--order-id ${orderId} (status.json)`);
  return [
    `${some(unknown.length, 'order')} may exist at the order service without this table knowing it. Each waits for "loan-orders resolve".`,
    ...columns(unknown.map((order) => [order.orderRef, known(order)])),
    `${some(lost.length, 'order')} in intake ${lost.length === 1 ? 'has' : 'have'} no record. ${next}`,
  ];
}
