import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { OrderFunction } from '../constructs/bundled-function.ts';
import { callEnvironment } from '../constructs/call-environment.ts';
import { allowObjects, allowSecret, allowTable, type ObjectRights, type TableAction } from '../constructs/rights.ts';
import { acknowledge } from '../nag.ts';
import { constructId } from '../order/functions.ts';
import type { Stage } from '../stages.ts';
import { legacyArn, legacyStateMachineName } from './names.ts';
import type { LegacyStorage } from './storage.ts';

interface Definition {
  description: string;
  table: readonly TableAction[];
  intake?: ObjectRights;
  staging?: ObjectRights;
  /** Calls the bank exchange: addresses, the credentials secret, and where its refusals are kept. */
  callsService?: boolean;
  /** Invoked by events, not by the state machine. */
  byEvents?: boolean;
  states?: 'StartExecution' | 'DescribeExecution';
  publishes?: boolean;
}

const ledger = ['GetItem', 'PutItem', 'UpdateItem'] as const;
const innFiles = ['legacy/inns/*', 'legacy/inns-listed.json'];
const uploads = ['legacy/status/*', 'legacy/offers/*'];

/** Every function with the rights that it uses and no others. */
const definitions = {
  'legacy-begin-run': {
    description: 'Claims a run of the bank exchange, unless one is at work',
    table: ['GetItem', 'UpdateItem'],
    states: 'DescribeExecution',
  },
  'legacy-fetch-requests': {
    description: 'GET /requests: stages one page of requests and records each once',
    table: ledger,
    staging: { write: ['legacy/requests/*', 'legacy/requests-unusable/*'] },
    callsService: true,
    publishes: true,
  },
  'legacy-end-run': {
    description: 'The whole run came through: moves the watermark',
    table: ['GetItem', 'UpdateItem'],
  },
  'legacy-fetch-inns': {
    description: 'GET /inns: checks tax numbers and stages them for scoring',
    table: ledger,
    staging: { read: innFiles, write: innFiles, list: true },
    callsService: true,
    publishes: true,
  },
  'legacy-intake': {
    description: 'Checks a status or offers whole, records them and starts their execution',
    table: ledger,
    intake: { read: ['*'], readVersion: uploads, list: true },
    staging: { readVersion: ['legacy/inns/*'], write: [...uploads, 'legacy/misnamed/*'], list: true },
    byEvents: true,
    states: 'StartExecution',
  },
  'legacy-send-status': {
    description: 'POST /request/{requestId}/status, through the ledger',
    table: ledger,
    intake: { read: ['legacy/status/*'], readVersion: ['legacy/status/*'], list: true },
    staging: { write: ['legacy/status/*'] },
    callsService: true,
  },
  'legacy-return-offers': {
    description: 'POST /inns, through the ledger',
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

export type LegacyFunctionName = keyof typeof definitions;

export interface LegacyFunctionsProps {
  stage: Stage;
  storage: LegacyStorage;
  credentials: Secret;
  deadLetters: IQueue;
}

export class LegacyFunctions extends Construct {
  readonly byName: Record<LegacyFunctionName, OrderFunction>;

  constructor(scope: Construct, id: string, props: LegacyFunctionsProps) {
    super(scope, id);
    const functions = Object.entries(definitions).map(([name, definition]) => [
      name,
      this.add(name, definition, props),
    ]);
    this.byName = Object.fromEntries(functions) as Record<LegacyFunctionName, OrderFunction>;
  }

  private add(name: string, definition: Definition, props: LegacyFunctionsProps): OrderFunction {
    const { description, table, intake, staging, callsService = false, byEvents = false } = definition;
    const { stage, storage, credentials, deadLetters } = props;
    const environment = {
      ...(callsService && serviceEnvironment(stage)),
      ...(name === 'legacy-begin-run' && windowEnvironment(stage)),
      ...(name === 'legacy-fetch-requests' && pageEnvironment(stage)),
    };
    const id = constructId(name);
    const target = new OrderFunction(this, id, {
      stage,
      name,
      description,
      environment,
      ...(byEvents && { deadLetters }),
    });
    allowTable(target, storage.exchange, table, 'EXCHANGE_TABLE');
    if (intake) allowObjects(target, storage.intake, 'INTAKE_BUCKET', intake, '');
    const write = [...(staging?.write ?? []), ...(callsService ? ['legacy/errors/*'] : [])];
    const rights = { ...staging, ...(write.length > 0 && { write }) };
    if (staging || callsService) allowObjects(target, storage.staging, 'STAGING_BUCKET', rights, '');
    if (callsService) allowSecret(target, credentials);
    this.allowOthers(target, definition, stage);
    return target;
  }

  private allowOthers(target: OrderFunction, { states, publishes }: Definition, stage: Stage): void {
    if (states) {
      const resource = states === 'StartExecution' ? 'stateMachine' : 'execution';
      const resources = [legacyArn(this, stage, resource)];
      target.addToRolePolicy(new PolicyStatement({ actions: [`states:${states}`], resources }));
    }
    if (states === 'DescribeExecution' && target.role) {
      const executions = `execution:${legacyStateMachineName(stage)}:*`;
      const finding = `IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:${executions}]`;
      acknowledge(
        target.role,
        finding,
        'It looks at executions of this state machine, each of which has a name of its own.',
      );
    }
    if (states === 'StartExecution') {
      target.addEnvironment('EXCHANGE_STATE_MACHINE', legacyArn(this, stage, 'stateMachine'));
    }
    if (publishes) {
      const bus = Stack.of(this).formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' });
      const conditions = { StringEquals: { 'events:source': 'loan-orders.legacy' } };
      target.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus], conditions }));
    }
  }
}

function serviceEnvironment(stage: Stage): Record<string, string> {
  const { baseUrl, authorizationUrl } = stage.legacyExchange;
  return {
    ...callEnvironment(stage),
    // The form is what its specification shows (5.3).
    TOKEN_CLIENT_AUTHENTICATION: 'body',
    LEGACY_SERVICE_URL: baseUrl,
    LEGACY_TOKEN_URL: `${authorizationUrl.replace(/\/$/, '')}/token`,
  };
}

function windowEnvironment({ legacyExchange }: Stage): Record<string, string> {
  const { windowOverlapMinutes, creationDateFormat, firstCreationDateFrom } = legacyExchange;
  return {
    WINDOW_OVERLAP_MINUTES: String(windowOverlapMinutes),
    CREATION_DATE_FORMAT: creationDateFormat,
    ...(firstCreationDateFrom && { FIRST_CREATION_DATE_FROM: firstCreationDateFrom }),
  };
}

function pageEnvironment({ legacyExchange }: Stage): Record<string, string> {
  const { take, pageOverlap, pagesPerExecution, requestsMember } = legacyExchange;
  return {
    TAKE: String(take),
    PAGE_OVERLAP: String(pageOverlap),
    PAGES_PER_EXECUTION: String(pagesPerExecution),
    ...(requestsMember && { REQUESTS_MEMBER: requestsMember }),
  };
}
