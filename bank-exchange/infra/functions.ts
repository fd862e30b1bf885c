import { Construct } from 'constructs';
import { tokenSettings, variableOf, variables } from '../../core/settings.ts';
import {
  addFunction,
  type FunctionDefinition,
  type FunctionResources,
  stepsOf,
} from '../../infra/constructs/add-function.ts';
import type { BundledFunction } from '../../infra/constructs/bundled-function.ts';
import { callEnvironment } from '../../infra/constructs/call-environment.ts';
import { addressSettings, pageSettings, resourceSettings, windowSettings } from '../core/settings.ts';
import type { ExchangeStage } from './settings.ts';

type Environment = (stage: ExchangeStage) => Record<string, string>;

const service: Environment = (stage) => ({
  ...callEnvironment(stage),
  // The specification shows the client's credentials in the form (5.3).
  [variableOf(tokenSettings, 'clientAuthentication')]: 'body',
  ...variables(addressSettings, {
    url: stage.exchange.baseUrl,
    tokenUrl: `${stage.exchange.authorizationUrl.replace(/\/$/, '')}/token`,
  }),
});

const runWindow: Environment = ({ exchange }) =>
  variables(windowSettings, {
    overlapMinutes: exchange.windowOverlapMinutes,
    dateFormat: exchange.creationDateFormat,
    first: exchange.firstCreationDateFrom,
  });

/** A run continues in a new execution after this many pages. A page with all its retries adds 85 history events; the limit is 25,000. */
export const PAGES_PER_EXECUTION = 100;

const page: Environment = ({ exchange: { take, pageOverlap, requestsMember } }) =>
  variables(pageSettings, { take, overlap: pageOverlap, perExecution: PAGES_PER_EXECUTION, requestsMember });

export type Definition = FunctionDefinition<ExchangeStage>;

const ledger = ['GetItem', 'PutItem', 'UpdateItem'] as const;
const innFiles = ['legacy/inns/*', 'legacy/inns-listed.json'];
const uploads = ['legacy/status/*', 'legacy/offers/*'];

/** All functions with only the permissions that they use. */
export const definitions = {
  'legacy-begin-run': {
    description: 'Claims a run of the bank exchange, unless another one is in progress',
    environment: [runWindow],
    table: ['GetItem', 'UpdateItem'],
    states: ['DescribeExecution'],
  },
  'legacy-fetch-requests': {
    description: 'GET /requests: stages one page of requests and records each once',
    environment: [service, page],
    table: ledger,
    staging: { write: ['legacy/requests/*', 'legacy/requests-unusable/*'] },
    callsService: true,
  },
  'legacy-end-run': {
    description: 'Completes a run: moves the watermark',
    table: ['GetItem', 'UpdateItem'],
  },
  'legacy-fetch-inns': {
    description: 'GET /inns: checks tax numbers and stages them for scoring',
    environment: [service],
    table: ledger,
    staging: { read: innFiles, write: innFiles, list: true },
    callsService: true,
  },
  'legacy-intake': {
    description: 'Checks an uploaded status or offers, records the upload and starts its execution',
    table: ledger,
    intake: { read: ['*'], readVersion: uploads, list: true },
    staging: { read: ['legacy/inns/*'], write: [...uploads, 'legacy/misnamed/*'], list: true },
    noStep: true,
    states: ['StartExecution'],
  },
  'legacy-send-status': {
    description: 'POST /request/{requestId}/status, through the ledger',
    environment: [service],
    table: ledger,
    intake: { read: ['legacy/status/*'], readVersion: ['legacy/status/*'], list: true },
    staging: { write: ['legacy/status/*'] },
    callsService: true,
  },
  'legacy-return-offers': {
    description: 'POST /inns, through the ledger',
    environment: [service],
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
    noStep: true,
  },
} as const satisfies Record<string, Definition>;

export type ExchangeFunctions = Record<keyof typeof definitions, BundledFunction>;
type Given = Omit<FunctionResources<ExchangeStage>, 'prefix' | 'errors' | 'connection' | 'variables'>;

export function addExchangeFunctions(scope: Construct, given: Given): ExchangeFunctions {
  const functions = new Construct(scope, 'Functions');
  const resources = {
    ...given,
    prefix: '',
    errors: 'legacy/errors/*',
    connection: given.stage.exchange,
    variables: {
      table: variableOf(resourceSettings, 'table'),
      states: variableOf(resourceSettings, 'stateMachine'),
    },
  };
  const made = Object.entries<Definition>(definitions).map(([name, definition]) => [
    name,
    addFunction(functions, name, definition, resources),
  ]);
  return Object.fromEntries(made) as ExchangeFunctions;
}

export const exchangeSteps = (functions: ExchangeFunctions) => stepsOf(functions, definitions);
