import { BY_UNSENT } from '../../core/events/outbox.ts';
import { BY_WAITING } from '../../core/order/order-item.ts';
import type { ObjectRights, StatesAction, TableAction } from '../constructs/rights.ts';
import type { Stage } from '../stages.ts';
import {
  confirmEnvironment,
  deadlinesEnvironment,
  documentEnvironment,
  gateEnvironment,
  offersEnvironment,
  packageEnvironment,
  readEnvironment,
  recoveryEnvironment,
  retentionEnvironment,
  serviceEnvironment,
  signatureEnvironment,
  signingEnvironment,
  sweepEnvironment,
} from './function-environments.ts';

/** A function's purpose, environment and permissions. */
export interface Definition {
  description: string;
  /** Parts of its environment. If two parts set the same variable, the later one wins. */
  environment?: readonly ((stage: Stage) => Record<string, string>)[];
  table: TableAction[];
  intake?: ObjectRights;
  staging?: ObjectRights;
  /** Calls the order service: needs the credentials secret, and keeps refusals in `errors/`. */
  callsService?: boolean;
  files?: boolean;
  /** Checks signatures against the stage's gate. */
  judgesSignatures?: boolean;
  /** Signs with the stage's KMS key and the certificate chain in intake. */
  signs?: boolean;
  /** Invoked asynchronously. Starts that failed after all retries go to the dead-letter queue of the sweep. */
  asynchronous?: boolean;
  /** Not a step of the state machine. */
  noStep?: boolean;
  states?: readonly StatesAction[];
  /** Changes orders, of which others are told on the bus. */
  tells?: boolean;
  /** Indexes of the table that it reads. */
  indexes?: readonly string[];
  /** What it does with the answers to rejected uploads, in `rejected/` of staging. */
  rejected?: ObjectRights;
}

const ledger: TableAction[] = ['GetItem', 'PutItem', 'UpdateItem'];
/** A step that calls the service reads its order, and whether the stage is paused, in one request. */
const calls: TableAction[] = [...ledger, 'BatchGetItem'];

/** Finds signatures in intake and reads their current versions. */
const signatures = { read: ['signatures/*'], list: true };

/** What the check of a signature needs in staging: the document, and the pages for the signer. */
const judged = {
  readVersion: ['to-sign/*'],
  write: ['signatures-rejected/*', 'signatures-unchecked/*'],
  remove: ['signatures-rejected/*', 'signatures-unchecked/*'],
  list: true,
};

/** What a decision needs in staging: the offers, and the answer to the decision. */
const decided = {
  read: ['offers.json', 'decision-rejected.json'],
  write: ['choices.json', 'decision-rejected.json'],
  remove: ['decision-rejected.json'],
  list: true,
};

/** The pages that a function publishes when it changes the record, and the conditions of these writes. */
const PAGES = ['status.json'];
const pages = { read: PAGES, write: PAGES, list: true };

/** Every function, with the permissions that it uses and no others. */
export const definitions = {
  'check-package': {
    description: 'Checks an order package, records it and starts its order',
    environment: [signingEnvironment, offersEnvironment, packageEnvironment],
    table: [...ledger, 'DeleteItem'],
    intake: { read: ['order.json', 'documents/*'], list: true },
    staging: pages,
    rejected: { read: ['*'], write: ['*'] },
    noStep: true,
    states: ['StartExecution'],
    tells: true,
  },
  'create-order': {
    description: 'POST /v1/orders, at most once per order',
    environment: [serviceEnvironment],
    table: [...calls, 'Query'],
    intake: { read: ['decision.json'], readVersion: ['order.json'], list: true },
    staging: { ...decided, read: [...PAGES, ...decided.read], write: [...PAGES, ...decided.write] },
    callsService: true,
    tells: true,
  },
  'read-order': {
    description: 'GET /v1/orders/{orderId}: status and next step',
    environment: [serviceEnvironment, readEnvironment, deadlinesEnvironment, confirmEnvironment],
    table: [...calls, 'DeleteItem', 'Query'],
    staging: { ...pages, write: [...PAGES, 'snapshot.json', 'offers.json', 'issues.json', 'choices.json'] },
    callsService: true,
    tells: true,
  },
  'upload-document': {
    description: 'Streams one document of the package to the order service',
    environment: [serviceEnvironment],
    table: [...calls, 'Query'],
    intake: { readVersion: ['documents/*'], list: true },
    staging: {},
    callsService: true,
    files: true,
  },
  'accept-order': {
    description: 'POST accept, after the documents and again after the signatures',
    environment: [serviceEnvironment],
    table: calls,
    staging: {},
    callsService: true,
  },
  'download-document': {
    description: 'Streams one document to sign into staging',
    environment: [serviceEnvironment, documentEnvironment],
    table: calls,
    staging: { writeParts: ['to-sign/*'] },
    callsService: true,
    files: true,
  },
  'await-signatures': {
    description: 'Lists the documents to sign in to-sign.json and lets the execution wait',
    environment: [gateEnvironment, deadlinesEnvironment],
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: signatures,
    staging: {
      ...judged,
      read: PAGES,
      write: [...PAGES, ...judged.write, 'to-sign.json'],
    },
    judgesSignatures: true,
    states: ['SendTaskSuccess'],
    tells: true,
  },
  'sign-documents': {
    description: "Signs the documents without a signature with the stage's KMS key",
    environment: [gateEnvironment],
    table: ['GetItem', 'UpdateItem', 'Query'],
    intake: { ...signatures, write: ['signatures/*'] },
    staging: { readVersion: judged.readVersion, write: ['to-sign.json'], list: true },
    judgesSignatures: true,
    signs: true,
  },
  'upload-signature': {
    description: 'Checks one signature and streams it to the order service',
    environment: [serviceEnvironment, gateEnvironment, signatureEnvironment],
    table: [...calls, 'Query'],
    intake: signatures,
    staging: judged,
    judgesSignatures: true,
    callsService: true,
    files: true,
  },
  'choose-offer': {
    description: 'Applies the rule to the offers, or lets the execution wait for a decision',
    environment: [offersEnvironment, deadlinesEnvironment],
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: { read: ['decision.json'], readVersion: ['order.json'], list: true },
    staging: { ...decided, read: [...PAGES, ...decided.read], write: [...PAGES, ...decided.write] },
    states: ['SendTaskSuccess'],
    tells: true,
  },
  'confirm-offer': {
    description: 'POST confirm for one chosen offer',
    environment: [serviceEnvironment, confirmEnvironment],
    table: [...calls, 'Query'],
    staging: { write: ['choices.json'] },
    callsService: true,
  },
  'receive-upload': {
    description: 'Receives a signature or a decision and resumes the execution that waits for it',
    environment: [gateEnvironment],
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: { ...signatures, read: ['decision.json', ...signatures.read] },
    staging: {
      ...decided,
      read: [...decided.read, 'choices.json'],
      readVersion: judged.readVersion,
      write: [...judged.write, ...decided.write],
      remove: [...decided.remove, ...judged.remove],
    },
    rejected: { read: ['*'], write: ['*'] },
    judgesSignatures: true,
    noStep: true,
    states: ['SendTaskSuccess'],
    tells: true,
  },
  'record-end': {
    description: 'Records that an execution ended without success',
    environment: [recoveryEnvironment],
    table: ['GetItem', 'UpdateItem', 'Query'],
    staging: { ...pages, write: [...PAGES, 'choices.json'] },
    tells: true,
  },
  'sweep-orders': {
    description: 'Starts orders again that an outage stopped, and removes data of orders that are over',
    environment: [recoveryEnvironment, sweepEnvironment, retentionEnvironment],
    table: [...ledger, 'DeleteItem', 'Query'],
    indexes: [BY_WAITING, BY_UNSENT],
    intake: { removeVersions: ['*'] },
    staging: { ...pages, write: [...PAGES, 'erased.json'], removeVersions: ['*'] },
    rejected: { removeVersions: ['orders/*'] },
    asynchronous: true,
    noStep: true,
    states: ['StartExecution', 'ListExecutions', 'DescribeExecution'],
    tells: true,
  },
} as const satisfies Record<string, Definition>;

export type FunctionName = keyof typeof definitions;

/** Whether the state machine invokes the function. */
export function isStep(name: FunctionName): boolean {
  const definition: Definition = definitions[name];
  return !definition.noStep;
}
