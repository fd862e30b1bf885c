import { BY_UNSENT } from '../../core/events/outbox.ts';
import { BY_WAITING } from '../../core/order/order-item.ts';
import type { FunctionDefinition } from '../constructs/add-function.ts';
import type { ObjectRights, TableAction } from '../constructs/rights.ts';
import { environments } from './function-environments.ts';

export interface Definition extends FunctionDefinition {
  /** Checks signatures against the stage's gate. */
  judgesSignatures?: boolean;
  /** Signs with the stage's KMS key and the certificate chain in intake. */
  signs?: boolean;
  /** Its rights to the answers to rejected uploads, in `rejected/` of staging. */
  rejected?: ObjectRights;
}

const ledger: TableAction[] = ['GetItem', 'PutItem', 'UpdateItem'];
/** A step that calls the service reads its order, and whether the stage is paused, in one request. */
const calls: TableAction[] = [...ledger, 'BatchGetItem'];

/** Finds signatures in intake and reads their current versions. */
const signatures = { read: ['signatures/*'], list: true };

/** Rights in staging to check a signature: the document, and the pages for the signer. */
const judged = {
  readVersion: ['to-sign/*'],
  write: ['signatures-rejected/*', 'signatures-unchecked/*'],
  remove: ['signatures-rejected/*', 'signatures-unchecked/*'],
  list: true,
};

/** The pages of a function that sends events of orders: each is written unless somebody else has written it. */
export const PAGES = ['status.json', 'choices.json'];

/** Rights in staging for a decision: the offers, and the answer to the decision. */
const deciding = {
  read: ['offers.json', 'decision-rejected.json'],
  write: ['decision-rejected.json'],
  remove: ['decision-rejected.json'],
};

/** Every function, with the permissions that it uses and no others. */
export const definitions = {
  'check-package': {
    description: 'Checks an order package, records it and starts its order',
    environment: [environments.signing, environments.offers, environments.document],
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: { read: ['order.json', 'documents/*'], readVersion: ['order.json'], list: true },
    staging: {},
    rejected: { read: ['*'], write: ['*'], remove: ['*'] },
    noStep: true,
    states: ['StartExecution'],
    tells: true,
  },
  'create-order': {
    description: 'POST /v1/orders, at most once per order',
    environment: [environments.service, environments.creation],
    table: [...calls, 'Query', 'DeleteItem'],
    intake: { read: ['decision.json'], readVersion: ['order.json'], list: true },
    staging: deciding,
    callsService: true,
    tells: true,
  },
  'read-order': {
    description: 'GET /v1/orders/{orderId}: status and next step',
    environment: [environments.service, environments.read, environments.deadlines, environments.confirm],
    table: ['GetItem', 'BatchGetItem', 'UpdateItem', 'DeleteItem', 'Query'],
    staging: { write: ['snapshot.json', 'offers.json', 'issues.json'] },
    callsService: true,
    tells: true,
  },
  'upload-document': {
    description: 'Streams one document of the package to the order service',
    environment: [environments.service],
    table: [...calls, 'Query'],
    intake: { readVersion: ['documents/*'], list: true },
    staging: {},
    callsService: true,
    files: true,
  },
  'accept-order': {
    description: 'POST accept, after the documents and again after the signatures',
    environment: [environments.service, environments.read],
    table: calls,
    staging: {},
    callsService: true,
  },
  'download-document': {
    description: 'Streams one document to sign into staging',
    environment: [environments.service, environments.document],
    table: calls,
    staging: { writeParts: ['to-sign/*'] },
    callsService: true,
    files: true,
  },
  'await-signatures': {
    description: 'Lists the documents to sign in to-sign.json and lets the execution wait',
    environment: [environments.gate, environments.deadlines],
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: signatures,
    staging: { ...judged, read: ['to-sign.json'], write: [...judged.write, 'to-sign.json'] },
    judgesSignatures: true,
    indexes: [BY_WAITING],
    states: ['SendTaskSuccess'],
    tells: true,
  },
  'sign-documents': {
    description: "Signs the documents without a signature with the stage's KMS key",
    environment: [environments.gate],
    table: ['GetItem', 'UpdateItem', 'Query'],
    intake: { ...signatures, write: ['signatures/*'] },
    staging: { read: ['to-sign.json'], readVersion: judged.readVersion, write: ['to-sign.json'], list: true },
    judgesSignatures: true,
    indexes: [BY_WAITING],
    signs: true,
  },
  'upload-signature': {
    description: 'Checks one signature and streams it to the order service',
    environment: [environments.service, environments.gate, environments.signature],
    table: [...calls, 'Query'],
    intake: signatures,
    staging: judged,
    judgesSignatures: true,
    indexes: [BY_WAITING],
    callsService: true,
    files: true,
  },
  'choose-offer': {
    description: 'Applies the rule to the offers, or lets the execution wait for a decision',
    environment: [environments.offers, environments.deadlines],
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: { read: ['decision.json'], readVersion: ['order.json'], list: true },
    staging: deciding,
    states: ['SendTaskSuccess'],
    tells: true,
  },
  'confirm-offer': {
    description: 'POST confirm for one chosen offer',
    environment: [environments.service, environments.read],
    table: [...calls, 'Query'],
    staging: {},
    callsService: true,
    tells: true,
  },
  'receive-upload': {
    description: 'Receives a signature or a decision and resumes the execution that waits for it',
    environment: [environments.gate],
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: { ...signatures, read: ['decision.json', ...signatures.read] },
    staging: {
      ...deciding,
      readVersion: judged.readVersion,
      write: [...judged.write, ...deciding.write],
      remove: [...deciding.remove, ...judged.remove],
    },
    rejected: { read: ['*'], write: ['*'] },
    judgesSignatures: true,
    indexes: [BY_WAITING],
    noStep: true,
    states: ['SendTaskSuccess'],
    tells: true,
  },
  'record-end': {
    // Executions of the previous release still call their version of this function as their last step.
    description: 'Records that an execution ended without success, or was redriven',
    environment: [environments.recovery],
    table: ['GetItem', 'UpdateItem', 'Query'],
    staging: {},
    tells: true,
  },
  'sweep-orders': {
    description: 'Starts orders again that an outage stopped, and removes data of orders that are over',
    environment: [environments.recovery, environments.sweep, environments.retention],
    table: [...ledger, 'DeleteItem', 'Query'],
    indexes: [BY_WAITING, BY_UNSENT],
    intake: { removeVersions: ['*'] },
    staging: { write: ['erased.json'], removeVersions: ['*'] },
    rejected: { removeVersions: ['orders/*'] },
    asynchronous: true,
    noStep: true,
    states: ['StartExecution', 'ListExecutions', 'DescribeExecution'],
    tells: true,
  },
} as const satisfies Record<string, Definition>;

export type FunctionName = keyof typeof definitions;
