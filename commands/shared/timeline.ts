import { isDeepStrictEqual } from 'node:util';
import type { StoredEntry } from '../../core/ledger/entry.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import type { WhatHappened } from '../../core/order/what-happened.ts';

/** A line with its facts. `item` is the item of the record that it was read from. */
export type TimelineEntry = Record<'orderRef' | 'item' | 'at' | 'what', string> & Record<string, string | number>;

/** The line for a completed operation, and the line if a read or an operator found out that it was done. */
const DONE: Record<string, [done: WhatHappened, found: WhatHappened]> = {
  create: ['Order created', 'An operator says that the order was created'],
  'accept-documents': ['Accepted documents', 'Found documents accepted'],
  'accept-signatures': ['Accepted signatures', 'Found signatures accepted'],
  confirm: ['Confirmed an offer', 'Found an offer confirmed'],
};

/** The timeline line of an item: a written line, or one that follows from the order or an operation. */
export function lineOf({ orderRef, item, ...content }: { orderRef: string; item: string }): TimelineEntry | undefined {
  if (item.startsWith('event#')) return { ...content, orderRef, item } as TimelineEntry;
  if (item === 'order') {
    const { createdAt: at, documents, removal } = content as OrderItem;
    return removal?.record ? undefined : { orderRef, item, at, what: 'Package accepted', documents: documents.length };
  }
  const { state, outcome, endedAt: at } = content as StoredEntry;
  const [what] = DONE[item.split('#')[1] ?? ''] ?? [];
  return what && state === 'done' ? ({ ...outcome, orderRef, item, at, what } as TimelineEntry) : undefined;
}

/** The timeline of a record, oldest line first. A written line about the end of an operation replaces the derived one. */
export function timelineOf(items: readonly { orderRef: string; item: string }[]): TimelineEntry[] {
  const lines = items.flatMap((item) => lineOf(item) ?? []);
  const written = lines.filter(({ item }) => item.startsWith('event#'));
  const isWritten = (line: TimelineEntry) => {
    const said: string[] = Object.values(DONE).find(([done]) => done === line.what) ?? [line.what];
    return written.some((other) => said.includes(other.what) && isDeepStrictEqual(factsIn(other), factsIn(line)));
  };
  const shown = lines.filter((line) => written.includes(line) || !isWritten(line));
  return shown.sort((one, other) => one.at.localeCompare(other.at));
}

const factsIn = (line: TimelineEntry) => Object.fromEntries(lineFacts(line));

/** Members of a line that are not shown as facts. */
const OTHERS = new Set(['orderRef', 'item', 'at', 'what', 'file', 'read']);

/** The facts of a line that are shown to people: references and counts by name. */
export function lineFacts(line: Readonly<Record<string, string | number>>): [name: string, value: string | number][] {
  return Object.entries(line).filter(([name]) => !OTHERS.has(name));
}
