import { randomUUID } from 'node:crypto';
import { putItem } from './order-table.ts';

/** Adds a line to the timeline that operators read. Use references and counts only, no personal data. */
export async function addEvent(
  orderRef: string,
  what: string,
  facts: Record<string, string | number> = {},
): Promise<void> {
  const identity = { at: new Date().toISOString(), name: randomUUID().slice(0, 8) };
  await addEventOnce(orderRef, identity, what, facts);
}

/** Adds a line to the timeline. A repeat with the same time and name does not add another line. */
export async function addEventOnce(
  orderRef: string,
  { at, name }: { at: string; name: string },
  what: string,
  facts: Record<string, string | number> = {},
): Promise<void> {
  await putItem({ orderRef, item: `event#${at}#${name}`, at, what, ...facts });
}
