import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { stackSettings, variableOf } from '../../core/settings.ts';
import { acknowledgePatterns } from '../nag.ts';
import { constructId } from '../names.ts';
import type { ConnectionSettings } from '../order-service-settings.ts';
import type { Stage } from '../stages.ts';
import type { TextFile } from './bundled-code.ts';
import { BundledFunction, type BundledFunctionProps } from './bundled-function.ts';
import type { KeptTable, StageBucket } from './kept-data.ts';
import {
  allow,
  allowKeyOf,
  allowObjects,
  allowPutEvents,
  allowTable,
  type ObjectRights,
  type StatesAction,
  type TableAction,
} from './rights.ts';
import type { ServiceSecrets } from './secrets.ts';
import type { StatesArns } from './workflow.ts';

/** A function's purpose, environment and permissions. */
export interface FunctionDefinition<OfStage extends Stage = Stage> {
  description: string;
  /** Parts of its environment. If two parts set the same variable, the later one wins. */
  environment?: readonly ((stage: OfStage) => Record<string, string>)[];
  /** Not a step of the state machine. */
  noStep?: boolean;
  table: readonly TableAction[];
  /** Indexes of the table that it queries. */
  indexes?: readonly string[];
  intake?: ObjectRights;
  staging?: ObjectRights;
  /** Calls the service: needs the credentials secret, and stages refusals. */
  callsService?: boolean;
  files?: boolean;
  /** Invoked asynchronously. Starts that failed after all retries go to the dead-letter queue of the stack. */
  asynchronous?: boolean;
  states?: readonly StatesAction[];
  /** Puts events on the bus. */
  tells?: boolean;
}

export interface FunctionResources<OfStage extends Stage = Stage> extends ServiceSecrets {
  stage: OfStage;
  table: KeptTable;
  intake: StageBucket;
  staging: StageBucket;
  /** The prefix of the key patterns of both buckets. */
  prefix: string;
  /** The key pattern in staging of refused calls. */
  errors: string;
  connection: ConnectionSettings;
  deadLetters: IQueue;
  /** Built from the name: the state machine is created after the functions. */
  states: StatesArns;
  /** The event bus, and the source of the events that functions put on it. */
  bus?: { arn: string; source: string };
  /** The environment variables that name the table and the state machine. */
  variables: { table: string; states: string };
}

/** The functions that the state machine invokes, by name. */
export const stepsOf = <Name extends string>(
  functions: Record<Name, BundledFunction>,
  definitions: Record<Name, object>,
): [Name, BundledFunction][] =>
  (Object.entries(functions) as [Name, BundledFunction][]).filter(([name]) => !('noStep' in definitions[name]));

/** Adds a function with the permissions of its definition, and no others. */
export function addFunction<OfStage extends Stage>(
  scope: Construct,
  name: string,
  definition: FunctionDefinition<OfStage>,
  resources: FunctionResources<OfStage>,
  { texts = [], runsAtOnce }: Pick<BundledFunctionProps, 'texts' | 'runsAtOnce'> = {},
): BundledFunction {
  const { description, environment = [], callsService, files, asynchronous, intake, tells } = definition;
  const { stage, deadLetters, prefix, bus } = resources;
  const target = new BundledFunction(scope, constructId(name), {
    stage,
    name,
    description,
    environment: Object.assign({}, ...environment.map((part) => part(stage))),
    ...(files && { files }),
    texts: [...texts, ...(callsService ? settingText('serviceAuthorities', resources.connection.caBundle) : [])],
    ...(asynchronous && { deadLetters }),
    runsAtOnce,
  });
  target.addEnvironment(resources.variables.table, resources.table.tableName);
  allowTable(target, resources.table, definition.table, definition.indexes);
  if (tells && bus) allowPutEvents(target, bus.arn, bus.source);
  if (intake) {
    target.addEnvironment(variableOf(stackSettings, 'intakeBucket'), resources.intake.bucketName);
    allowObjects(target, resources.intake, intake, prefix);
  }
  allowStaging(target, definition, resources);
  if (callsService) allowCalls(target, resources);
  allowStates(target, definition.states, resources);
  return target;
}

function allowStaging(
  target: BundledFunction,
  { staging, callsService }: Pick<FunctionDefinition, 'staging' | 'callsService'>,
  resources: Pick<FunctionResources, 'staging' | 'errors' | 'prefix'>,
): void {
  if (!staging && !callsService) return;
  target.addEnvironment(variableOf(stackSettings, 'stagingBucket'), resources.staging.bucketName);
  const write = [...(staging?.write ?? []), ...(callsService ? [resources.errors] : [])];
  const rights = { ...staging, ...(write.length > 0 && { write }) };
  allowObjects(target, resources.staging, rights, resources.prefix);
}

/** Lets the function read the credentials and, if there is one, the client certificate. */
function allowCalls(target: BundledFunction, { credentials, clientCertificate, connection }: FunctionResources): void {
  const secrets = { credentialsSecret: credentials, clientCertificateSecret: clientCertificate };
  for (const [setting, secret] of Object.entries(secrets)) {
    if (!secret) continue;
    target.addEnvironment(variableOf(stackSettings, setting as keyof typeof secrets), secret.secretArn);
    allow(target, ['secretsmanager:GetSecretValue'], secret.secretArn);
  }
  if (typeof connection.clientCertificate === 'string') allowKeyOf(target, connection.clientCertificate);
}

function allowStates(
  target: BundledFunction,
  actions: readonly StatesAction[] | undefined,
  { states, variables }: Pick<FunctionResources, 'states' | 'variables'>,
): void {
  if (!actions) return;
  target.addEnvironment(variables.states, states.stateMachine);
  for (const action of actions)
    allow(target, [`states:${action}`], action === 'DescribeExecution' ? states.executions : states.stateMachine);
  if (!actions.includes('DescribeExecution') || !target.role) return;
  acknowledgePatterns(target.role, [states.executions], 'The names of executions are not known at deployment.');
}

type Authorities = `${'service' | 'signature' | 'timeStamp'}Authorities`;
type Texts = 'orderSchema' | 'labels' | Authorities | 'revocationLists' | 'revocation';

/** A text of the stage that is too long for the environment, such as a schema or certificates. It becomes a file of the function. */
export function settingText(name: Texts, text: string | undefined): TextFile[] {
  if (text === undefined) return [];
  const ending = ['orderSchema', 'labels', 'revocation'].includes(name) ? 'json' : 'pem';
  const file = `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.${ending}`;
  return [{ variable: variableOf(stackSettings, name), file, text }];
}
