import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { StoredEntry } from '../core/ledger/entry.ts';
import { OPEN } from '../core/ledger/knowledge.ts';
import { withReport } from '../core/order/operators-word.ts';
import { isFinal, type OrderItem } from '../core/order/order-item.ts';
import type { Prepared, StagePause } from '../core/order/stage-pause.ts';
import { isPaused, PAUSE_KEY, PREPARED_KEY, recordAdoptedPause } from '../core/order/stage-pause.ts';
import type { StatusPage } from '../core/staging/pages.ts';
import { answerKey } from '../core/staging/rejected-upload.ts';
import { type AddCommand, instant, withConnection } from './shared/arguments.ts';
import type { Buckets, StoredUpload } from './shared/buckets.ts';
import type { StageConnection } from './shared/connection.ts';
import { ask, NOTHING } from './shared/many-orders.ts';
import { CREATION, type ListedOrder, type OperationEntry } from './shared/order-details.ts';
import { pauseInForce } from './shared/pause.ts';
import { clientSettings, queueClientSettings } from './shared/place.ts';
import type { OrderRecord } from './shared/record.ts';
import { type CommandResult, columns, Refusal, some, time } from './shared/text.ts';

export const addRestored: AddCommand = (program, perform) =>
  program
    .command('restored')
    .description('after the table of orders was restored to a point in time: let no order be created twice')
    .requiredOption('--to <time>', 'the time that the table was restored to, such as 2026-11-12T09:00:00Z', instant)
    .option('--table <name>', 'the restored table, if the stage does not use it yet')
    .option('--preview', 'only show which orders are meant')
    .option('--yes', 'do not ask')
    .action(withConnection(perform, restored, 'without pause line'));

const NO_TABLE = 'ResourceNotFoundException';

/** The command's view of a restored table. */
interface Restored {
  record: OrderRecord;
  pause: StagePause | undefined;
  /** ISO 8601, to the second, as in DynamoDB's restores and S3's dates. */
  to: string;
  /** The stage uses the table, which is already prepared: it knows every creation of the orders that it recorded since `to`. */
  isPrepared: boolean;
}

/** An order that the service may have. `orderId` comes from its `status.json` in staging, if it has one. */
interface UnknownOrder {
  orderRef: string;
  orderId: string | undefined;
  /** The table already records that the outcome of its creation is unknown. */
  isMarked: boolean;
}

interface LostUploads {
  /** Recorded orders without an `orderId`, of which one that was dismissed is found only by its package. */
  received: { orderRef: string }[];
  /** Packages without a record that may have become orders. */
  packages: StoredUpload[];
  /** Later documents of recorded orders. */
  documents: StoredUpload[];
}

/**
 * Prepares a table of orders that was restored to a point in time. The service may have created orders since then that the table does not
 * know. Each is recorded as a creation of unknown outcome, so it waits for an operator and is not created again. A table that the stage
 * does not use yet is paused like the stage. If the stage already uses the table, uploads that it does not know are checked again. The
 * command first shows the orders and asks.
 */
async function restored(
  connection: StageConnection,
  { to, table, preview, yes }: { to: Date; table?: string; preview?: true; yes?: true },
): Promise<CommandResult> {
  const found = await openRestored(connection, new Date(Math.floor(to.getTime() / 1000) * 1000), table);
  const { record, pause } = found;
  if (!isPaused(pause)) {
    throw new Refusal(
      `Stage ${connection.place.stage} is not paused: nothing was changed. Run "loan-orders pause" first.`,
    );
  }
  const buckets = await connection.buckets();
  const lost = await lostUploads(buckets, found, table !== undefined);
  const mayExist = [...lost.received, ...lost.packages].map(({ orderRef }) => orderRef);
  const unknown = await unknownOrders(buckets, found, new Set(mayExist));
  const unmarked = unknown.filter(({ isMarked }) => !isMarked);
  const [lines, withoutRecord] = [linesOf(unknown, lost, table), lost.packages.map(({ orderRef }) => orderRef)];
  const json = { table, unknown: unknown.map(({ orderRef, orderId }) => ({ orderRef, orderId })), withoutRecord };
  if (preview) return { lines: [...lines, NOTHING], json: { preview: true, ...json } };
  if (!yes && unmarked.length > 0) await ask('restored', some(unmarked.length, 'order'), lines);
  if (table === undefined) await recordAdoptedPause(record.table, pause);
  else await record.table.putItem({ ...PAUSE_KEY, ...pause });
  for (const { orderRef } of unmarked)
    await forgetCreation(record, orderRef, { intendedAt: found.to, notAfter: pause.since });
  if (table === undefined) {
    await checkAgain(connection, [...lost.packages, ...lost.documents]);
    // Only `--table` may set the time that the table was prepared for: a copy has the time of an earlier restore.
    const to = found.isPrepared ? found.to : undefined;
    await record.table.changeItem(PREPARED_KEY, { table: connection.outputs('OrderTable'), to });
  } else await record.table.putItem({ ...PREPARED_KEY, to: found.to });
  return { lines, json };
}

/** The table that the stage uses, or the restored one, which is to be paused like it. */
async function openRestored(
  { place, record, by, outputs }: StageConnection,
  to: Date,
  name: string | undefined,
): Promise<Restored> {
  const [since, used] = [to.toISOString(), outputs('OrderTable')];
  if (name === undefined) {
    const prepared = await record.table.getItem<Prepared>(PREPARED_KEY);
    const isPrepared = prepared?.to === since && (prepared.table ?? used) === used;
    return { record, pause: await pauseInForce(record.table, outputs), to: since, isPrepared };
  }
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient(clientSettings(place));
  if (name === used) {
    throw new Refusal(`The stage uses table ${name}: nothing was changed. Repeat this without --table.`);
  }
  await refuseOtherTime(client, name, since);
  // The table that the stage uses may be gone.
  const pause = await pauseInForce(record.table, outputs).catch(async (error) => {
    if (error.name !== NO_TABLE) throw error;
    return { since: new Date().toISOString(), by: await by(), reason: 'The table was restored' };
  });
  const { RecordTable } = await import('../core/aws/record-table.ts');
  const { OrderRecord } = await import('./shared/record.ts');
  return { record: new OrderRecord(new RecordTable(client, name)), pause, to: since, isPrepared: false };
}

/** @throws Refusal unless the table was restored to this time. */
async function refuseOtherTime(client: DynamoDBClient, name: string, to: string): Promise<void> {
  const { DescribeTableCommand } = await import('@aws-sdk/client-dynamodb');
  const { Table: found } = await client.send(new DescribeTableCommand({ TableName: name })).catch((error) => {
    if (error.name === NO_TABLE) throw new Refusal(`There is no table ${name}: nothing was changed.`);
    throw error;
  });
  const restoredTo = found?.RestoreSummary?.RestoreDateTime?.toISOString();
  if (time(restoredTo) === time(to)) return;
  throw new Refusal(
    restoredTo === undefined
      ? `Table ${name} was never restored: nothing was changed. Name the restored table.`
      : `Table ${name} was restored to ${restoredTo}: nothing was changed. Repeat this with --to ${restoredTo}.`,
  );
}

/**
 * Packages without a record that were uploaded after that time or have a page in staging, and later documents of recorded orders. A
 * rejected package did not become an order, but in another region the rejection may be new, so it proves nothing.
 */
async function lostUploads(
  buckets: Buckets,
  { to, isPrepared, record }: Restored,
  isNew: boolean,
): Promise<LostUploads> {
  const isReceived = ({ status, orderId }: ListedOrder) => status === 'RECEIVED' && orderId === undefined;
  const lost: LostUploads = { received: (await record.open()).filter(isReceived), packages: [], documents: [] };
  for await (const [found, order] of recorded(record, buckets.uploads())) {
    const { orderRef, document } = found;
    const isLate = found.storedAt.toISOString() >= to;
    if (order) {
      if (document === undefined && isReceived(order)) lost.received.push(order);
      if (isLate && document !== undefined && hasDocument(order, document)) lost.documents.push(found);
    } else if (document === undefined) {
      const isLost = (await buckets.staged(orderRef, 'status.json')) !== undefined;
      const mayBeLost = isLate && !((isNew || isPrepared) && (await isRejected(buckets, found)));
      if (isLost || mayBeLost) lost.packages.push(found);
    }
  }
  return lost;
}

/** Each upload with its order, if it is recorded. No more is read than intake has. */
async function* recorded(
  { table }: OrderRecord,
  uploads: AsyncIterable<StoredUpload[]>,
): AsyncGenerator<[StoredUpload, OrderItem | undefined]> {
  for await (const page of uploads) {
    const refs = [...new Set(page.map(({ orderRef }) => orderRef))];
    const orders = await table.getItems(refs.map((orderRef) => ({ orderRef, item: 'order' })));
    for (const found of page) yield [found, orders[refs.indexOf(found.orderRef)] as OrderItem | undefined];
  }
}

const hasDocument = ({ status, documents }: OrderItem, document: string): boolean =>
  !isFinal(status) && documents.some(({ file }) => file === document);

async function isRejected(buckets: Buckets, { key }: StoredUpload): Promise<boolean> {
  const { versionId } = (await buckets.intakeFile(key, 0)) ?? {};
  return versionId !== undefined && (await buckets.stagedAt(answerKey({ key, versionId }))) !== undefined;
}

async function unknownOrders(
  buckets: Buckets,
  { record: { table }, to, isPrepared }: Restored,
  orders: ReadonlySet<string>,
): Promise<UnknownOrder[]> {
  const unknown: UnknownOrder[] = [];
  for (const orderRef of orders) {
    const [order, recorded] = (await table.getItems([
      { orderRef, item: 'order' },
      { orderRef, item: CREATION },
    ])) as [OrderItem | undefined, (StoredEntry & OperationEntry) | undefined];
    const entry = recorded && withReport(recorded);
    const isMarked = entry?.state === 'open';
    const isKnown = entry?.state === 'done' || entry?.notAfter !== undefined;
    const isSince = isPrepared && [order?.createdAt, entry?.intendedAt].some((at) => at !== undefined && at >= to);
    if (!isMarked && (isKnown || isSince)) continue;
    unknown.push({ orderRef, orderId: (await buckets.staged<StatusPage>(orderRef, 'status.json'))?.orderId, isMarked });
  }
  return unknown;
}

/** Records that the outcome of the creation is unknown, unless the table already knows about it. */
async function forgetCreation(
  { table }: OrderRecord,
  orderRef: string,
  times: { intendedAt: string; notAfter: string },
): Promise<void> {
  const key = { orderRef, item: CREATION };
  const { attempts = 1 } = (await table.getItem<StoredEntry>(key)) ?? {};
  const unknown = { ...OPEN, attemptId: 'restored', attempts, failure: 'OutcomeUnknown', call: {} };
  await table.putItem(
    { ...key, ...unknown, ...times },
    'attribute_not_exists(outcome) AND attribute_not_exists(notAfter)',
  );
}

async function checkAgain({ place, outputs }: StageConnection, lost: readonly StoredUpload[]): Promise<void> {
  const { SendMessageCommand, SQSClient } = await import('@aws-sdk/client-sqs');
  const client = new SQSClient(queueClientSettings(place));
  for (const { key } of lost) {
    const MessageBody = JSON.stringify({ detail: { object: { key } } });
    await client.send(new SendMessageCommand({ QueueUrl: outputs('CheckPackageQueueUrl'), MessageBody }));
  }
}

function linesOf(
  unknown: readonly UnknownOrder[],
  { packages, documents }: LostUploads,
  table: string | undefined,
): string[] {
  const next =
    table === undefined
      ? 'Their packages are checked again. Then "loan-orders resume".'
      : `Name ${table} in the stage's file, deploy, and repeat this without --table.`;
  const known = ({ orderId }: UnknownOrder) => (orderId === undefined ? '' : `--order-id ${orderId} (status.json)`);
  return [
    `${some(unknown.length, 'order')} may exist at the order service without this table knowing it. Each waits for "loan-orders resolve".`,
    ...columns(unknown.map((order) => [order.orderRef, known(order)])),
    `${some(packages.length, 'order')} in intake ${packages.length === 1 ? 'has' : 'have'} no record. ${next}`,
    documents.length > 0 ? `Newer than the table: ${some(documents.length, 'document')} of orders that it knows.` : '',
  ].filter((line) => line !== '');
}
