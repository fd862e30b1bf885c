import { randomUUID } from 'node:crypto';
import { orderTable } from '../aws/order-table.ts';
import type { RecordTable } from '../aws/record-table.ts';
import { bounded } from '../bounded.ts';
import type { STATUS_LINE, WhatHappened } from './what-happened.ts';

/** References and counts by name, no personal data. */
type Facts = Record<string, string | number | undefined>;

/** A line of the timeline, without its time. */
export interface Line {
  what: LineText;
  facts?: Facts;
}

type LineText = WhatHappened | `${typeof STATUS_LINE}${string}` | 'Paused' | 'Resumed';

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

/** Identifies a line, so a repeat does not add it again. */
interface LineIdentity {
  at: string;
  name: string;
  /** The stored read that the line is about (core/reading/kept-read.ts). */
  read?: string | undefined;
}

const lineKey = (orderRef: string, { at, name }: LineIdentity) => ({ orderRef, item: `event#${at}#${name}` });

/** Adds a line to the timeline. A repeat with the same time and name changes nothing. Long texts are truncated. */
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
  // An update, because operators have no right to put items of orders.
  await table.updateItem(lineKey(orderRef, identity), line, 'attribute_not_exists(orderRef)');
}
