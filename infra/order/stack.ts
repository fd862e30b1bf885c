import { Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { DECISION_MEMBERS } from '../../core/package/decision-schema.ts';
import { orderDefinition } from '../../statemachine/order-definition.ts';
import { companyProps, tagsOf, UNTAGGED } from '../company.ts';
import { addAlarms } from '../constructs/alarm.ts';
import { alarmTopic } from '../constructs/alarm-topic.ts';
import { deadLetterQueue, type StageBucket } from '../constructs/kept-data.ts';
import { addOutputs } from '../constructs/outputs.ts';
import { addSchedules } from '../constructs/schedule.ts';
import { type ServiceSecrets, serviceSecrets } from '../constructs/secrets.ts';
import { addWorkflow, type StatesArns, statesArns } from '../constructs/workflow.ts';
import { deployedSettings } from '../deployed-settings.ts';
import featureFlags from '../feature-flags.json' with { type: 'json' };
import { acknowledgeResources } from '../nag.ts';
import { ordersStackName, resourcesName } from '../names.ts';
import { warnOfPlaceholders } from '../placeholders.ts';
import type { Stage } from '../stages.ts';
import { alarmsOnAws, alarmsOnOrders, sectionOf } from './alarms.ts';
import { addDashboard } from './dashboard.ts';
import { addEventBus, addEvents } from './events.ts';
import { addOrderFunctions, type OrderFunctions, orderSteps, warnOfQuota } from './functions.ts';
import { addPeople } from './people.ts';
import { addQueries, logGroupsOf } from './queries.ts';
import { addRelease } from './release.ts';
import { signingKeys } from './signing-key.ts';
import { addStorage, type OrderStorage } from './storage.ts';

/** The order workflow of one stage, in a stack of its own. */
export class OrderStack extends Stack {
  readonly orders: OrderResources;

  constructor(scope: Construct, id: string, props: StackProps & { stage: Stage }) {
    const { stage } = props;
    const description = `Business loan orders, stage ${stage.name}`;
    const own = { description, terminationProtection: stage.keepData };
    super(scope, id, { ...companyProps(stage, ordersStackName(stage)), ...own, ...props });
    this.orders = addOrders(this, stage);
  }
}

/** What others need of a stage. */
export interface OrderResources {
  /** The partner writes to it. */
  readonly intakeBucket: StageBucket;
  /** The partner reads from it. */
  readonly stagingBucket: StageBucket;
  readonly stateMachine: StateMachine;
  /** Tells other systems what happens to the orders. */
  readonly eventBus: EventBus;
  /** Notified of alarms. Undefined on the laptop. */
  readonly alarmTopic: ITopic | undefined;
}

/** Adds the order workflow of one stage: buckets, table, secret, functions, state machine, events, alarms and dashboard. */
export function addOrders(scope: Construct, stage: Stage): OrderResources {
  // Whatever the flags of the app are, the resources are the same.
  for (const [flag, value] of Object.entries(featureFlags)) scope.node.setContext(flag, value);
  for (const [key, value] of Object.entries(tagsOf(stage))) Tags.of(scope).add(key, value, UNTAGGED);
  const name = resourcesName(stage);
  const storage = addStorage(scope, 'Storage', stage);
  const secrets = serviceSecrets(scope, name, 'the order service', stage.orderService, stage);
  const deadLetters = deadLetterQueue(scope, `${name}-dead-letters`, stage);
  const states = statesArns(scope, name);
  const keys = signingKeys(scope, stage);
  const given = { stage, ...storage, ...secrets, signingKey: keys.documents, deadLetters, states };
  const functions = addOrderFunctions(scope, 'Functions', given);
  const definition = orderDefinition();
  const release = addRelease(functions, definition);
  const workflow = { stage, name, definition, functions: orderSteps(functions), release };
  const stateMachine = addWorkflow(scope, 'Workflow', workflow);
  // The sweep moves orders to its release, so the state machine must already start executions of this release.
  functions['sweep-orders'].node.addDependency(stateMachine);
  const { intake } = storage;
  const queues = addEvents(scope, 'Events', { stage, intake, functions, stateMachineArn: states.stateMachine });
  const eventBus = addEventBus(scope, 'Told', stage);
  const parts = { stage, name, storage, secrets, keys, states, functions, stateMachine, queues, deadLetters };
  addSweep(scope, parts);
  watch(scope, parts);
  letPeopleWork(scope, parts);
  warnOfQuota(scope, stage);
  warnOfPlaceholders(scope, stage.name, 'orderService in its file', stage.orderService);
  addOutputs(scope, outputsOf(parts, eventBus.eventBusName, release));
  acknowledgeResources(scope, stage);
  const { intake: intakeBucket, staging: stagingBucket } = storage;
  return { intakeBucket, stagingBucket, stateMachine, eventBus, alarmTopic: alarmTopic(scope, stage) };
}

interface Parts {
  stage: Stage;
  name: string;
  storage: OrderStorage;
  secrets: ServiceSecrets;
  keys: ReturnType<typeof signingKeys>;
  states: StatesArns;
  functions: OrderFunctions;
  stateMachine: StateMachine;
  queues: ReturnType<typeof addEvents>;
  deadLetters: Queue;
}

const sweepName = ({ name }: Parts) => `${name}-sweep`;

function addSweep(scope: Construct, parts: Parts): void {
  const { stage, functions, deadLetters } = parts;
  const { everyMinutes: minutes } = stage.sweep;
  const target = {
    stage,
    action: 'lambda:InvokeFunction',
    targetArn: functions['sweep-orders'].functionArn,
    deadLetters,
  };
  const schedule = {
    name: sweepName(parts),
    description: 'Finds orders that no execution drives',
    minutes,
    input: {},
    // A missed sweep is not repeated: the next one finds the same orders.
    oldestStartSeconds: minutes * 60,
  };
  addSchedules(scope, 'Sweep', target, { EveryFewMinutes: schedule });
}

/** The dead-letter queues, by the functions whose events they hold. */
function lettersOf({ deadLetters, queues }: Parts): Record<string, Queue> {
  const ofQueues = Object.entries(queues).map(([handler, queue]) => [handler, queue.deadLetters]);
  return { 'sweep-orders': deadLetters, ...Object.fromEntries(ofQueues) };
}

function watch(scope: Construct, parts: Parts): void {
  const { stage, name, functions, stateMachine, queues } = parts;
  const deadLetters = lettersOf(parts);
  const onAws = alarmsOnAws(stage, stateMachine, Object.values(deadLetters), Object.values(queues));
  addAlarms(scope, 'Alarms', stage, sectionOf, [...alarmsOnOrders(stage), ...onAws]);
  addDashboard(scope, 'Overview', { stage, functions, stateMachine, deadLetters });
  addQueries(scope, 'Queries', name, logGroupsOf(name, functions));
}

function letPeopleWork(scope: Construct, parts: Parts): void {
  const { stage, storage, secrets, keys, states, functions, queues } = parts;
  addPeople(scope, 'People', stage, {
    intake: storage.intake.bucketArn,
    staging: storage.staging.bucketArn,
    orders: storage.table.tableArn,
    ...states,
    queues: Object.values(queues).map(({ queue }) => queue.queueArn),
    deadLetters: Object.values(lettersOf(parts)).map(({ queueArn }) => queueArn),
    secrets: Object.values(secrets).flatMap((secret) => (secret ? [secret.secretArn] : [])),
    sweep: functions['sweep-orders'].functionArn,
    schedule: sweepName(parts),
    evidenceKey: keys.evidence?.keyArn,
  });
}

function outputsOf(
  { stage, name, storage, secrets, keys, functions, stateMachine, deadLetters }: Parts,
  busName: string,
  release: string,
): Parameters<typeof addOutputs>[1] {
  const { intake, staging, table } = storage;
  const { secretName } = secrets.credentials;
  return {
    IntakeBucket: [intake.bucketName, 'Upload order packages to this bucket, below orders/<orderRef>/'],
    StagingBucket: [staging.bucketName, 'Read documents to sign, offers and answers from this bucket'],
    CredentialsSecret: [secretName, 'Put client_id, client_secret and scope into this secret, as JSON'],
    OrderStateMachine: [stateMachine.stateMachineArn, 'The state machine that drives the orders'],
    LogGroups: [logGroupsOf(name, functions).join(','), 'What is written about the orders'],
    EventBus: [busName, 'What happens to the orders, for others: docs/events.md'],
    OrderTable: [table.tableName, 'The record of every order'],
    SigningKey: [keys.documents?.keyArn, 'The KMS key that signs documents; see docs/signing.md, "Signing with KMS"'],
    EvidenceKey: [keys.evidence?.keyArn, 'The KMS key that signs evidence; see docs/evidence.md'],
    Settings: [JSON.stringify(deployedSettings(stage)), 'What the command line must know of the settings'],
    LegalHold: [String(stage.retention.legalHold), 'Whether the stage keeps all data, so that nothing can be erased'],
    Release: [release, 'Identifies the state machine, and the code and settings of the functions that it invokes'],
    DecisionMembers: [DECISION_MEMBERS.join(' '), 'What a decision.json may hold, for command lines of later releases'],
    DeadLetterQueueUrl: [deadLetters.queueUrl, 'Starts of the sweep that failed after all retries'],
  };
}
