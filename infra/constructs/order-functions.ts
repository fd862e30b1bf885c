import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import { callEnvironment } from './call-environment.ts';
import { OrderFunction } from './order-function.ts';
import type { OrderStorage } from './order-storage.ts';
import { allowObjects, allowSecret, allowStates, allowTable, type ObjectRights, type TableAction } from './rights.ts';

interface Definition {
  description: string;
  table: TableAction[];
  intake?: ObjectRights;
  staging?: ObjectRights;
  /** Calls the order service: addresses, the credentials secret, and where its refusals are kept. */
  callsService?: boolean;
  files?: boolean;
  /** Invoked by events, not by the state machine. */
  byEvents?: boolean;
  states?: 'StartExecution' | 'SendTaskSuccess';
}

const ledger: TableAction[] = ['GetItem', 'PutItem', 'UpdateItem'];

/** Every function with the rights that it uses and no others. */
const definitions = {
  intake: {
    description: 'Checks an order package whole, records it and starts its order',
    table: ['GetItem', 'PutItem'],
    intake: { read: ['*'], readVersion: ['order.json'], list: true },
    staging: { write: ['rejected.json', 'status.json'], remove: ['rejected.json'] },
    byEvents: true,
    states: 'StartExecution',
  },
  'create-order': {
    description: 'POST /v1/orders, at most once per order',
    table: ledger,
    intake: { readVersion: ['order.json'], list: true },
    staging: {},
    callsService: true,
  },
  'read-order': {
    description: 'GET /v1/orders/{orderId}: status and next step',
    table: [...ledger, 'Query'],
    staging: { write: ['snapshot.json', 'offers.json', 'issues.json', 'status.json'] },
    callsService: true,
  },
  'upload-document': {
    description: 'Streams one document of the package to the order service',
    table: ledger,
    intake: { readVersion: ['documents/*'], list: true },
    staging: {},
    callsService: true,
    files: true,
  },
  'accept-order': {
    description: 'POST accept, after documents and after signatures',
    table: ledger,
    staging: {},
    callsService: true,
  },
  'download-document': {
    description: 'Streams one document to sign into staging',
    table: ledger,
    staging: { writeParts: ['to-sign/*'] },
    callsService: true,
    files: true,
  },
  'await-signatures': {
    description: 'Tells the signer what to sign and lets the execution wait',
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: { read: ['signatures/*'], list: true },
    staging: { write: ['to-sign.json', 'status.json'] },
    states: 'SendTaskSuccess',
  },
  'upload-signature': {
    description: 'Streams one signature to the order service',
    table: ledger,
    intake: { read: ['signatures/*'], readVersion: ['signatures/*'], list: true },
    staging: { write: ['signatures-rejected/*'] },
    callsService: true,
    files: true,
  },
  'choose-offer': {
    description: 'Applies the rule to the offers, or lets the execution wait for a decision',
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: { read: ['decision.json'], readVersion: ['order.json'], list: true },
    staging: {
      read: ['offers.json'],
      write: ['status.json', 'decision-rejected.json'],
      remove: ['decision-rejected.json'],
      list: true,
    },
    states: 'SendTaskSuccess',
  },
  'confirm-offer': {
    description: 'POST confirm for one chosen offer',
    table: ledger,
    staging: {},
    callsService: true,
  },
  receive: {
    description: 'A signature or a decision arrived: wakes the execution that waits for it',
    table: [...ledger, 'DeleteItem', 'Query'],
    intake: { read: ['decision.json', 'signatures/*'], list: true },
    staging: {
      read: ['offers.json'],
      write: ['signatures-rejected/*', 'decision-rejected.json'],
      remove: ['decision-rejected.json', 'signatures-rejected/*'],
      list: true,
    },
    byEvents: true,
    states: 'SendTaskSuccess',
  },
  'record-end': {
    description: 'Records that an execution ended without success',
    table: ledger,
    staging: { write: ['status.json'] },
    byEvents: true,
  },
} as const satisfies Record<string, Definition>;

export type FunctionName = keyof typeof definitions;

export interface OrderFunctionsProps {
  stage: Stage;
  storage: OrderStorage;
  credentials: Secret;
  deadLetters: IQueue;
  /** Named ahead of the state machine, which needs the functions first. */
  stateMachineArn: string;
}

export class OrderFunctions extends Construct {
  readonly byName: Record<FunctionName, OrderFunction>;

  constructor(scope: Construct, id: string, props: OrderFunctionsProps) {
    super(scope, id);
    const functions = Object.entries(definitions).map(([name, definition]) => [
      name,
      this.add(name, definition, props),
    ]);
    this.byName = Object.fromEntries(functions) as Record<FunctionName, OrderFunction>;
  }

  private add(name: string, definition: Definition, props: OrderFunctionsProps): OrderFunction {
    const { description, table, intake, staging, callsService, files = false, byEvents, states } = definition;
    const { stage, storage, credentials, deadLetters, stateMachineArn } = props;
    const environment = {
      ...(callsService && serviceEnvironment(stage)),
      ...(name === 'read-order' && readEnvironment(stage)),
      ...((name === 'intake' || name === 'choose-offer') && offersEnvironment(stage)),
    };
    const id = constructId(name);
    const target = new OrderFunction(this, id, {
      stage,
      name,
      description,
      files,
      environment,
      ...(byEvents && { deadLetters }),
    });
    allowTable(target, storage.orders, table);
    if (intake) allowObjects(target, storage.intake, 'INTAKE_BUCKET', intake);
    if (staging) {
      const write = [...(staging.write ?? []), ...(callsService ? ['errors/*'] : [])];
      allowObjects(target, storage.staging, 'STAGING_BUCKET', { ...staging, ...(write.length > 0 && { write }) });
    }
    if (callsService) allowSecret(target, credentials);
    if (states) allowStates(target, states, stateMachineArn);
    return target;
  }
}

/** `create-order` as `CreateOrder`: construct id, and `CreateOrderArn` in the state machine file. */
export function constructId(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());
}

function serviceEnvironment(stage: Stage): Record<string, string> {
  const { orderService, pollAfterSeconds } = stage;
  return {
    ORDER_SERVICE_URL: orderService.baseUrl,
    TOKEN_URL: orderService.authorizationUrl.replace(/\/$/, '') + orderService.tokenPath,
    ORDER_CONTENT_TYPE: orderService.contentType,
    ...callEnvironment(stage),
    POLL_MINIMUM_SECONDS: String(pollAfterSeconds.minimum),
    POLL_MAXIMUM_SECONDS: String(pollAfterSeconds.maximum),
    POLL_DEFAULT_SECONDS: String(pollAfterSeconds.fallback),
  };
}

function readEnvironment({ readsPerExecution, repeatsLimit }: Stage): Record<string, string> {
  return {
    READS_PER_EXECUTION: String(readsPerExecution),
    REPEATS_LIMIT: String(repeatsLimit),
  };
}

function offersEnvironment({ offers }: Stage): Record<string, string> {
  return { OFFERS_CHOOSE: offers.choose, ...(offers.rule && { OFFERS_RULE: offers.rule }) };
}
