import type { ObjectRights, TableAction } from '../../infra/constructs/rights.ts';
import { pageEnvironment, serviceEnvironment, windowEnvironment } from './function-environments.ts';
import type { ExchangeStage } from './settings.ts';

/** A function's purpose, environment and permissions. */
export interface Definition {
  description: string;
  environment?: readonly ((stage: ExchangeStage) => Record<string, string>)[];
  table: readonly TableAction[];
  intake?: ObjectRights;
  staging?: ObjectRights;
  /** Calls the bank exchange: needs the credentials secret, and keeps refusals in `legacy/errors/`. */
  callsService?: boolean;
  /** Invoked by events, not by the state machine. */
  byEvents?: boolean;
  states?: 'StartExecution' | 'DescribeExecution';
  publishes?: boolean;
}

const ledger = ['GetItem', 'PutItem', 'UpdateItem'] as const;
const innFiles = ['legacy/inns/*', 'legacy/inns-listed.json'];
const uploads = ['legacy/status/*', 'legacy/offers/*'];

/** Every function, with the permissions that it uses and no others. */
export const definitions = {
  'legacy-begin-run': {
    description: 'Claims a run of the bank exchange, unless another one is in progress',
    environment: [windowEnvironment],
    table: ['GetItem', 'UpdateItem'],
    states: 'DescribeExecution',
  },
  'legacy-fetch-requests': {
    description: 'GET /requests: stages one page of requests and records each once',
    environment: [serviceEnvironment, pageEnvironment],
    table: ledger,
    staging: { write: ['legacy/requests/*', 'legacy/requests-unusable/*'] },
    callsService: true,
    publishes: true,
  },
  'legacy-end-run': {
    description: 'Completes a run: moves the watermark',
    table: ['GetItem', 'UpdateItem'],
  },
  'legacy-fetch-inns': {
    description: 'GET /inns: checks tax numbers and stages them for scoring',
    environment: [serviceEnvironment],
    table: ledger,
    staging: { read: innFiles, write: innFiles, list: true },
    callsService: true,
    publishes: true,
  },
  'legacy-intake': {
    description: 'Checks an uploaded status or offers, records the upload and starts its execution',
    table: ledger,
    intake: { read: ['*'], readVersion: uploads, list: true },
    staging: { readVersion: ['legacy/inns/*'], write: [...uploads, 'legacy/misnamed/*'], list: true },
    byEvents: true,
    states: 'StartExecution',
  },
  'legacy-send-status': {
    description: 'POST /request/{requestId}/status, through the ledger',
    environment: [serviceEnvironment],
    table: ledger,
    intake: { read: ['legacy/status/*'], readVersion: ['legacy/status/*'], list: true },
    staging: { write: ['legacy/status/*'] },
    callsService: true,
  },
  'legacy-return-offers': {
    description: 'POST /inns, through the ledger',
    environment: [serviceEnvironment],
    table: ledger,
    intake: { read: ['legacy/offers/*'], readVersion: ['legacy/offers/*'], list: true },
    staging: { write: ['legacy/offers/*'] },
    callsService: true,
  },
  'legacy-record-end': {
    description: 'Records that an execution of the exchange ended without success',
    table: ['GetItem', 'UpdateItem'],
    intake: { read: uploads, list: true },
    staging: { write: uploads },
    byEvents: true,
  },
} as const satisfies Record<string, Definition>;

export type ExchangeFunctionName = keyof typeof definitions;
