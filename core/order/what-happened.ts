/** What the lines of an order's timeline say, except those of statuses. The page has each of them in Russian. */
export const WHAT_HAPPENED = [
  'Package accepted',
  'Order created',
  'Accepted documents',
  'Accepted signatures',
  'Found documents accepted',
  'Found signatures accepted',
  'Waits for signatures',
  'A signature arrived',
  'A signature was rejected',
  'A signature is passed on unchecked',
  'Documents signed with KMS',
  'Waits for a decision on the offers',
  'A decision arrived',
  'A decision arrived before the order waited for it',
  'A decision was rejected',
  'A decision was replaced',
  'A decision was replaced or deleted before it was read',
  'The rule chose',
  'A human must choose',
  'Confirmed an offer',
  'Found an offer confirmed',
  'A confirm was refused',
  'Closed with confirms of unknown outcome: ask the bank',
  'Document replaced',
  'Document not replaced: its newest version is empty, deleted or too large',
  'Sent again',
  'Continues in another release',
  'Reached its offers without signatures',
  'The order service asks for a long wait',
  'Execution ended',
  'Started: no execution drove the order',
  'Started again after an outage',
  'An operator asked for a retry',
  'An operator asked to abort',
  'An operator dismissed the order',
  'An operator says that the order was created',
  'An operator says that the order was not created',
  'Put on hold',
  'Hold released',
  'Files removed',
  'Record reduced',
] as const;

export type WhatHappened = (typeof WHAT_HAPPENED)[number];

/** What every line of a timeline has, and the version of a file that a line is about. */
const OTHERS = new Set(['orderRef', 'item', 'at', 'what', 'file']);

/** The facts of a line that people read: references and counts by name. */
export function factsOf(line: Readonly<Record<string, string | number>>): [name: string, value: string | number][] {
  return Object.entries(line).filter(([name]) => !OTHERS.has(name));
}
