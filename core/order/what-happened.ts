/** The texts of timeline lines, except those of statuses. The page has a Russian translation of each. */
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
  'An accept was refused',
  'A confirm was refused',
  'Closed with confirms of unknown outcome: ask the bank',
  'The service has confirmed offers that the record does not know',
  'Document replaced',
  'Document not replaced: its newest version is empty, deleted, too large or unreadable',
  'Sent again',
  'Continues in another release',
  'Reached its offers without signatures',
  'Closed without signatures',
  'The order service asks for a long wait',
  'Execution ended',
  'Started: no execution drove the order',
  'Started again after an outage',
  'An operator asked for a retry',
  'An operator asked to abort',
  'An operator has redriven the execution',
  'An operator dismissed the order',
  'An operator says that the order was created',
  'An operator says that the order was not created',
  'An operator says that an offer was confirmed',
  'An operator says that an offer was not confirmed',
  'An operator says that an upload was done',
  'Put on hold',
  'Hold released',
  'Files removed',
  'Record reduced',
] as const;

export type WhatHappened = (typeof WHAT_HAPPENED)[number];

/** How failures name a document to sign: its `fileId` may be personal. The number follows, from 1. */
export const DOCUMENT_NUMBER = 'document number ';

/** The start of the line for a new status. The status follows. */
export const STATUS_LINE = 'Status ';
