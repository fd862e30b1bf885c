import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, ProjectionType } from 'aws-cdk-lib/aws-dynamodb';
import type { EventPattern } from 'aws-cdk-lib/aws-events';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { companyProps } from '../../infra/company.ts';
import { addAlarms } from '../../infra/constructs/alarm.ts';
import { addEventQueue, type EventQueue } from '../../infra/constructs/event-queue.ts';
import {
  deadLetterQueue,
  intakeBucket,
  recordTable,
  type StageBucket,
  stagingBucket,
} from '../../infra/constructs/kept-data.ts';
import { addOutputs } from '../../infra/constructs/outputs.ts';
import { addRetention } from '../../infra/constructs/retention.ts';
import { addSchedules } from '../../infra/constructs/schedule.ts';
import { serviceSecrets } from '../../infra/constructs/secrets.ts';
import { addWorkflow, statesArns } from '../../infra/constructs/workflow.ts';
import { acknowledgeResources } from '../../infra/nag.ts';
import { resourcesName } from '../../infra/names.ts';
import { greatest } from '../../infra/order/alarms.ts';
import { warnOfPlaceholders } from '../../infra/placeholders.ts';
import type { Stage } from '../../infra/stages.ts';
import { exchangeDefinition } from '../definition.ts';
import { addExchangeFunctions, type ExchangeFunctions, exchangeSteps } from './functions.ts';
import { exchangeStackName } from './names.ts';
import type { ExchangeStage } from './settings.ts';

/** Relative to docs/. */
const OPERATE = '../bank-exchange/README.md#operate';
const OLDEST_START_SECONDS = 3_600;

/**
 * The obsolete bank exchange of a stage (specification, 4.3). It shares no resources with the order stack, so each can be deployed
 * and removed without the other.
 */
export class ExchangeStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { stage: ExchangeStage }) {
    const { stage } = props;
    super(scope, id, { ...companyProps(stage, exchangeStackName(stage)), ...props });
    const name = `${resourcesName(stage)}-legacy`;
    const storage = addStorage(this, stage);
    const secrets = serviceSecrets(this, name, 'the bank exchange', stage.exchange, stage);
    const deadLetters = deadLetterQueue(this, `${name}-dead-letters`, stage);
    const states = statesArns(this, name);
    const functions = addExchangeFunctions(this, { stage, ...storage, ...secrets, deadLetters, states });
    const workflow = { stage, name, definition: exchangeDefinition(), functions: exchangeSteps(functions) };
    const stateMachine = addWorkflow(this, 'Workflow', workflow);
    const { intake, staging, table } = storage;
    const queues = addEvents(this, name, stage, functions, intake, states.stateMachine);
    addRuns(this, name, { stage, action: 'states:StartExecution', targetArn: states.stateMachine, deadLetters });
    addAlarms(
      this,
      'Alarms',
      stage,
      () => OPERATE,
      alarmsOn(stateMachine, [deadLetters, ...queues.map((queue) => queue.deadLetters)]),
    );
    warnOfPlaceholders(this, stage.name, 'its addresses in the file of the exchange (stages/legacy/)', stage.exchange);
    addOutputs(this, {
      IntakeBucket: [intake.bucketName, 'Upload statuses and offers to this bucket, below legacy/'],
      StagingBucket: [staging.bucketName, 'Read requests, tax numbers and answers from this bucket'],
      CredentialsSecret: [
        secrets.credentials.secretName,
        'Put client_id, client_secret and scope into this secret, as JSON',
      ],
      ExchangeStateMachine: [stateMachine.stateMachineArn, 'The state machine of the exchange'],
      ExchangeTable: [table.tableName, 'The record of runs, requests and uploads'],
    });
    acknowledgeResources(this, stage);
  }
}

/** The exchange's table and buckets: the bank writes to intake and reads from staging. */
function addStorage(scope: Construct, stage: Stage) {
  const storage = new Construct(scope, 'Storage');
  const [intake, staging] = [intakeBucket(storage, stage), stagingBucket(storage, stage, true)];
  addRetention(staging, stage);
  const table = recordTable(storage, 'Exchange', 'subject', stage);
  table.addGlobalSecondaryIndex({
    indexName: 'byKind',
    partitionKey: { name: 'kind', type: AttributeType.STRING },
    sortKey: { name: 'at', type: AttributeType.STRING },
    projectionType: ProjectionType.ALL,
  });
  return { intake, staging, table };
}

function addRuns(
  scope: Construct,
  name: string,
  target: Parameters<typeof addSchedules>[2] & { stage: ExchangeStage },
): void {
  const { fetchRequestsEveryMinutes, fetchInnsEveryMinutes } = target.stage.exchange;
  const schedule = (work: string, minutes: number) => ({
    name: `${name}-${work}`,
    description: `Starts the bank exchange's run ${work}`,
    minutes,
    input: { work },
    oldestStartSeconds: OLDEST_START_SECONDS,
  });
  addSchedules(scope, 'Schedules', target, {
    'fetch-requests': schedule('fetch-requests', fetchRequestsEveryMinutes),
    'fetch-inns': schedule('fetch-inns', fetchInnsEveryMinutes),
  });
}

function alarmsOn(stateMachine: StateMachine, deadLetters: Queue[]) {
  const period = Duration.minutes(5);
  return [
    {
      name: 'legacy-failed',
      says: 'An execution of the bank exchange failed.',
      metric: stateMachine.metricFailed({ period, statistic: 'Sum' }),
      threshold: 1,
    },
    {
      name: 'legacy-timed-out',
      says: 'An execution of the bank exchange timed out.',
      metric: stateMachine.metricTimedOut({ period, statistic: 'Sum' }),
      threshold: 1,
    },
    {
      name: 'legacy-dead-letters',
      says: 'An event of the bank exchange is in a dead-letter queue.',
      metric: greatest(
        deadLetters.map((queue) => queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' })),
      ),
      threshold: 1,
    },
  ];
}

/**
 * Adds rules and queues that send two kinds of events to their functions: new objects in the exchange's intake, and executions that end
 * without success.
 */
function addEvents(
  scope: Construct,
  prefix: string,
  stage: Stage,
  functions: ExchangeFunctions,
  { bucketName }: StageBucket,
  stateMachineArn: string,
): EventQueue[] {
  const events = new Construct(scope, 'Events');
  const add = (id: string, name: keyof ExchangeFunctions, description: string, eventPattern: EventPattern) => {
    const rule = { ruleName: `${prefix}-${id.toLowerCase()}`, description, eventPattern };
    return addEventQueue(events, id, { stage, name, target: functions[name], rule });
  };
  return [
    add('Uploads', 'legacy-intake', 'New objects in the intake bucket of the bank exchange', {
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [bucketName] } },
    }),
    add('Ends', 'legacy-record-end', 'Executions of the bank exchange that end without success', {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: { stateMachineArn: [stateMachineArn], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
    }),
  ];
}
