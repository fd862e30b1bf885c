import { randomUUID } from 'node:crypto';
import { Superseded } from '../errors.ts';
import type { Repeats } from './believed.ts';
import type { KeptDecision } from './choices.ts';
import { changeItem, getItem, putItem, updateItem, type Values } from './order-table.ts';

export type WaitingFor = 'service' | 'signatures' | 'decision' | 'operator' | 'nobody';

/** A document of the package, pinned to a version that intake checked. */
export interface PackageDocument {
  /** Path inside the package, `documents/…`. */
  file: string;
  versionId: string;
  /** Bytes. */
  size: number;
  contentType: string;
  entityId: string;
  sourceEntityId: string;
  docType: string;
}

/** The item `order` of the order's record. Times are ISO 8601 in UTC. */
export interface OrderItem {
  orderRef: string;
  item: 'order';
  /** The service's own word once the order was read; `RECEIVED` before that. */
  status: string;
  waitingFor: WaitingFor;
  createdAt: string;
  changedAt: string;
  /** Version of `order.json` that this order was started from. */
  packageVersionId: string;
  documents: PackageDocument[];
  /** How often a document was replaced by a newer version. */
  documentsReplaced?: number;
  choose: 'manual' | 'rule';
  /** Who signs; the partner's own signer where it is absent (orders from before there was a choice). */
  signing?: 'external' | 'kms';
  orderId?: string;
  /** Which execution of the order is at work: 1, 2, … */
  generation: number;
  /** Which of them a person started last; absent before the first retry. The others were handed the order over. */
  retriedIn?: number;
  /** ARN of that execution, once it has claimed the order. */
  execution?: string;
  snapshotSha256?: string;
  /** The wait that the last recorded read asked for, in seconds. */
  pollAfterSeconds?: number;
  /** Nobody reads the order before this time. */
  nextReadAt?: string;
  /** The order service wants to be left alone until then (`Retry-After`): no step calls it before. */
  throttledUntil?: string;
  /** Which time the service asks for documents, 1 for the first. */
  documentsRound?: number;
  documentsAsked?: Asked;
  /** Which time the service asks for signatures, and for which files. */
  signaturesRound?: SignaturesRound;
  /** The repeats that the execution of this generation had counted when it handed over to the next one. */
  repeats?: Repeats & { generation: number };
  /** The order came to its offers, and no accept of signatures is known to be done. */
  unsigned?: true;
  failure?: { error: string; cause: string; at: string };
  /** What the order has asked people for last; gone once it was decided, or once its execution has failed: a retry gives them the whole time again. */
  awaited?: Awaited | undefined;
  /** Absent in records from before it was kept here: they have an item `decision` once somebody has decided. */
  decision?: KeptDecision;
  /** Why a human must choose among the offers though there is a rule. It holds no data of the order. */
  decisionReason?: string | undefined;
}

/** What people were asked for, and when for the first time. */
export interface Awaited {
  what: 'signatures' | 'decision';
  round: number;
  since: string;
  /** SHA-256 of what was asked about: the page that asks for signatures, or the read that brought the offers. */
  page?: string;
}

export interface SignaturesRound {
  number: number;
  fileIds: string[];
  asked?: Asked;
}

/** How many times in a row the order was asked for the same files, the last time in this generation. A person's retry counts anew. */
export interface Asked {
  times: number;
  generation: number;
}

const key = (orderRef: string) => ({ orderRef, item: 'order' });

export async function findOrder(orderRef: string): Promise<OrderItem | undefined> {
  return getItem<OrderItem>(key(orderRef));
}

/**
 * The order, for the execution that drives it.
 * @throws Superseded when another generation has taken over.
 */
export async function loadOrder(orderRef: string, generation: number): Promise<OrderItem> {
  const order = await findOrder(orderRef);
  if (!order) throw new Superseded(`Order ${orderRef} has no record in the order table. Nothing was done.`);
  if (order.generation === generation) return order;
  throw new Superseded(
    `Order ${orderRef} is driven by execution number ${order.generation} now; this one, number ${generation}, stops. Nothing was done.`,
  );
}

/** The order, which must have its `orderId` by now. */
export async function loadCreatedOrder(orderRef: string, generation: number): Promise<OrderItem & { orderId: string }> {
  const order = await loadOrder(orderRef, generation);
  if (!order.orderId)
    throw new Superseded(`Order ${orderRef} has no orderId yet: it was not created. Nothing was done.`);
  return order as OrderItem & { orderId: string };
}

/** Records a package that passed; false when the order is there already. */
export async function addOrder(order: Omit<OrderItem, 'item' | 'createdAt' | 'changedAt'>): Promise<boolean> {
  const now = new Date().toISOString();
  return putItem({ ...order, item: 'order', createdAt: now, changedAt: now }, 'attribute_not_exists(orderRef)');
}

/** Gives the order other versions of its documents; false when they are not as they were read any more. */
export async function replaceDocuments(order: OrderItem, documents: PackageDocument[]): Promise<boolean> {
  const { orderRef, documentsReplaced: known } = order;
  const condition = known === undefined ? 'attribute_not_exists(#documentsReplaced)' : '#documentsReplaced = :known';
  const changes = { documents, documentsReplaced: (known ?? 0) + 1 };
  return updateItem(key(orderRef), changes, condition, known === undefined ? {} : { ':known': known });
}

/** An execution of the order, by its number and its ARN. */
export interface Driver {
  orderRef: string;
  generation: number;
  execution: string;
}

const OF_THIS_EXECUTION = '(attribute_not_exists(#execution) OR #execution = :execution)';

/**
 * Makes this execution the one that drives the order, unless its own end is recorded already: a function outlives an execution that is
 * aborted, and nobody would look after what it began.
 * @param isRetry whether a person has started it.
 * @throws Superseded then, or when a later generation drives the order, or another execution of the same one.
 */
export async function claimOrder({ orderRef, generation, execution }: Driver, isRetry: boolean): Promise<OrderItem> {
  const claimed = await changeItem<OrderItem>(
    key(orderRef),
    { generation, execution, waitingFor: 'service', failure: undefined, ...(isRetry && { retriedIn: generation }) },
    `attribute_exists(orderRef) AND (#generation < :generation OR (#generation = :generation AND attribute_not_exists(#failure) AND ${OF_THIS_EXECUTION}))`,
  );
  if (claimed) return claimed;
  throw new Superseded(
    `Order ${orderRef} is driven by another execution, or has no record, or this execution has ended. This one stops; nothing was done.`,
  );
}

/**
 * Records that an execution ended without success. One that failed before it could claim the order counts as the one that drove it, so
 * that its end is seen, and it claims nothing afterwards.
 * @param end with the status that the order had when for whom it waits was found out.
 * @returns false when nothing is recorded: another execution drives the order ({@link isSuperseded}), or its status has changed.
 */
export async function recordEndOf(
  { orderRef, generation, execution }: Driver,
  end: Required<Pick<OrderItem, 'failure' | 'waitingFor' | 'status'>>,
): Promise<boolean> {
  return updateItem(
    key(orderRef),
    { generation, execution, ...end, awaited: undefined, changedAt: new Date().toISOString() },
    `#status = :status AND (#generation < :generation OR (#generation = :generation AND ${OF_THIS_EXECUTION}))`,
  );
}

/** Whether another execution drives the order, and not this one, which may be about to. */
export function isSuperseded(order: OrderItem, { generation, execution }: Driver): boolean {
  if (order.generation !== generation) return order.generation > generation;
  return order.execution !== undefined && order.execution !== execution;
}

/** Changes the order as long as `generation` drives it; the change's time goes with it. */
export async function changeOrder(
  order: Pick<OrderItem, 'orderRef' | 'generation'>,
  changes: Partial<OrderItem>,
): Promise<void> {
  if (await change(order, changes, 'generation = :current')) return;
  throw new Superseded(`Order ${order.orderRef} was taken over by another execution. This one stops.`);
}

/**
 * Changes for whom the order waits. Once the end of its execution is recorded, an order that is not final waits for an operator,
 * whatever a function of that execution that was still at work finds out; the rest of the change is recorded all the same. So is it
 * where another function has found the order in another status since it was read.
 * @returns whether the order waits as the change says.
 */
export async function changeWaiting(
  order: Pick<OrderItem, 'orderRef' | 'generation' | 'status'>,
  { waitingFor, ...changes }: Partial<OrderItem> & Pick<OrderItem, 'waitingFor'>,
): Promise<boolean> {
  const conditions = ['generation = :current'];
  if (waitingFor !== 'nobody') conditions.push('attribute_not_exists(failure)');
  if (changes.status === undefined) conditions.push('#status = :status');
  const whole = { status: order.status, ...changes, waitingFor };
  if (await change(order, whole, conditions.join(' AND '))) return true;
  await changeOrder(order, changes);
  return false;
}

function change(
  { orderRef, generation }: Pick<OrderItem, 'orderRef' | 'generation'>,
  changes: Partial<OrderItem>,
  condition: string,
): Promise<boolean> {
  const dated = { ...changes, changedAt: new Date().toISOString() } as Values;
  return updateItem(key(orderRef), dated, condition, { ':current': generation });
}

/** Adds a line to the timeline that operators read: references and counts, no personal data. */
export async function addEvent(
  orderRef: string,
  what: string,
  facts: Record<string, string | number> = {},
): Promise<void> {
  const identity = { at: new Date().toISOString(), name: randomUUID().slice(0, 8) };
  await addEventOnce(orderRef, identity, what, facts);
}

/** The same for what may be told twice: the line of this time and name stands once in the timeline. */
export async function addEventOnce(
  orderRef: string,
  { at, name }: { at: string; name: string },
  what: string,
  facts: Record<string, string | number> = {},
): Promise<void> {
  await putItem({ orderRef, item: `event#${at}#${name}`, at, what, ...facts });
}
