import { randomUUID } from 'node:crypto';
import { orderTable } from '../aws/order-table.ts';
import type { RecordTable } from '../aws/record-table.ts';
import { bounded } from '../bounded.ts';
import type { WhatHappened } from './what-happened.ts';

/** References and counts by name, nothing personal. */
type Facts = Record<string, string | number | undefined>;

/** A line of the timeline, without its time. */
export interface Line {
  what: LineText;
  facts?: Facts;
}

type LineText = WhatHappened | `Status ${string}` | 'Paused' | 'Resumed';

/** Adds a line to the timeline that operators read. */
export async function addToTimeline(
  orderRef: string,
  what: LineText,
  facts: Facts = {},
  table: RecordTable = orderTable,
): Promise<void> {
  const identity = { at: new Date().toISOString(), name: randomUUID().slice(0, 8) };
  await addToTimelineOnce(orderRef, identity, what, facts, table);
}

/** The name of a line beside its time, by which a repeat knows it. */
interface LineIdentity {
  at: string;
  name: string;
  /** The read that the line tells of, as it is kept (core/reading/kept-read.ts). */
  read?: string | undefined;
}

const lineKey = (orderRef: string, { at, name }: LineIdentity) => ({ orderRef, item: `event#${at}#${name}` });

/** Adds a line to the timeline. A repeat with the same time and name adds no other line, and changes none. Long texts are cut. */
export async function addToTimelineOnce(
  orderRef: string,
  identity: LineIdentity,
  what: LineText,
  facts: Facts = {},
  table: RecordTable = orderTable,
): Promise<void> {
  const kept = Object.entries(facts).map(([fact, value]) => [fact, typeof value === 'string' ? bounded(value) : value]);
  const { name: _name, ...given } = identity;
  const line = { ...given, what, ...Object.fromEntries(kept) };
  // An update, because operators may put no items of orders.
  await table.updateItem(lineKey(orderRef, identity), line, 'attribute_not_exists(orderRef)');
}
