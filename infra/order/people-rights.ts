import { Effect, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import { BY_LIST, BY_WAITING } from '../../core/order/order-item.ts';
import { PAUSE_KEY } from '../../core/order/stage-pause.ts';
import { ANSWERS_PREFIX } from '../../core/staging/rejected-upload.ts';
import { operatorsRecord } from './operator-record.ts';

/** The ARNs that rights refer to. ARNs of buckets have no path. */
export interface PeopleResources {
  intake: string;
  staging: string;
  orders: string;
  stack: string;
  stateMachine: string;
  executions: string;
  logGroups: string;
  alarms: string;
  /** The table of orders, if the stack did not create it. */
  adoptedTable: string | undefined;
  givenBuckets: string[];
  /** The topic that alarms notify. Undefined on the laptop. */
  alarmTopic: string | undefined;
  /** The credentials, and the client certificate if the stage has one. */
  secrets: string[];
  sweep: string;
  schedule: string;
  /** Events on their way to functions. */
  queues: string[];
  deadLetters: string[];
}

export interface PersonRights {
  description: string;
  statements: PolicyStatementProps[];
}

/** A package, as the back office uploads it. */
const PACKAGE = ['order.json', 'documents/*'];
/** The uploads to intake, by kind. */
export const UPLOADS = { packages: PACKAGE, signatures: ['signatures/*'], decisions: ['decision.json'] };
/** The pages in staging for a signer, and for a credit desk. */
const PAGES_TO_SIGN = ['to-sign.json', 'signatures-rejected/*', 'signatures-unchecked/*', 'status.json', 'to-sign/*'];
const PAGES_TO_DECIDE = ['offers.json', 'choices.json', 'decision-rejected.json', 'status.json'];
/** The pages in staging that docs/operations.md refers operators to. None contains a document or an offer. */
const REPAIR_PAGES = ['errors/*', 'snapshot.json', 'issues.json', 'choices.json', 'status.json'];
/** The pause of the stage, which every command shows. */
const STAGE_ONLY = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [PAUSE_KEY.orderRef] } };
const READ_LOGS = ['logs:StartQuery', 'logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams'];
/**
 * Such a request names no log group. To read a query's results, its identifier is needed. The other actions let the console show saved
 * queries and log groups.
 */
const READ_QUERIES = allow(['logs:GetQueryResults', 'logs:DescribeQueryDefinitions', 'logs:DescribeLogGroups'], ['*']);
const CONSOLE = ['states:GetExecutionHistory', 'states:DescribeStateMachineForExecution', 'states:RedriveExecution'];
const READ_ALARMS = ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'];

/** Additional rights for SQS's redrive, besides receive, delete and send (docs/operations.md, "Events that failed"). */
const REDRIVE = ['sqs:GetQueueAttributes', 'sqs:StartMessageMoveTask', 'sqs:ListMessageMoveTasks'];

/**
 * The rights of each person who works with a stage, besides reading the outputs of the stack. Nobody may read the credentials. Only {@link
 * evidenceSigner} may use a signing key, and only `data-protection` may remove files. All but `back-office` and `auditor` have exactly the
 * rights for their commands: a test reads the AWS operations that the files of their commands use.
 */
export const rightsOfPeople = {
  'back-office': ({ intake, staging, orders }) => ({
    description: 'Uploads order packages and reads what became of them',
    statements: [
      // Reads its own uploads: a repeated upload sends only missing files.
      allow(
        ['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
        ofOrders(intake, PACKAGE),
      ),
      allow(['s3:ListBucketMultipartUploads'], [intake]),
      allow(['s3:GetObject'], [...ofOrders(staging, ['status.json', 'issues.json']), rejected(staging)]),
      allow(['s3:ListBucket'], [intake, staging]),
      // `submit` looks for orders of the same company and sum.
      readOrders(orders),
      readPause(orders),
    ],
  }),
  signer: ({ intake, staging, orders }) => ({
    description: 'Reads the documents to sign and uploads signatures; may not upload packages',
    statements: [
      allow(['s3:GetObject'], [...ofOrders(staging, PAGES_TO_SIGN), rejected(staging, 'signatures/*')]),
      allow(['s3:GetObjectVersion'], ofOrders(staging, ['to-sign/*'])),
      allow(['s3:ListBucket'], [staging]),
      // `documents` compares with the record, and `sign --all` looks for the orders that wait.
      readOrders(orders),
      allow(['s3:PutObject'], ofOrders(intake, UPLOADS.signatures)),
      readPause(orders),
      neverPackages(intake),
    ],
  }),
  'credit-desk': ({ intake, staging, orders }) => ({
    description: 'Reads the offers and uploads decisions; may not upload packages',
    statements: [
      allow(['s3:GetObject'], [...ofOrders(staging, PAGES_TO_DECIDE), rejected(staging, 'decision.json/*')]),
      // Compares the offers with those that the person saw.
      allow(['s3:GetObjectVersion'], ofOrders(staging, ['offers.json'])),
      allow(['s3:ListBucket'], [staging]),
      allow(['dynamodb:Query'], [orders]),
      readPause(orders),
      // Reads the existing decision: a new one replaces it only if it is known.
      allow(['s3:PutObject', 's3:GetObject'], ofOrders(intake, UPLOADS.decisions)),
      neverPackages(intake),
    ],
  }),
  operator: ({ staging, stack, orders, stateMachine, executions }) => ({
    description: 'Inspects and repairs orders with the command line',
    statements: [
      allow(['cloudformation:ListStackResources'], [stack]),
      ...operatorsRecord(orders),
      allow(['dynamodb:Query', 'dynamodb:Scan'], [`${orders}/index/byStatus`]),
      allow(['dynamodb:Query'], [`${orders}/index/${BY_WAITING}`, `${orders}/index/${BY_LIST}`]),
      allow(['states:StartExecution', 'states:DescribeStateMachine', 'states:ListExecutions'], [stateMachine]),
      allow(['states:DescribeExecution', 'states:StopExecution', ...CONSOLE], [executions]),
      // The first page of the console. It names no state machine.
      allow(['states:ListStateMachines'], ['*']),
      allow(['s3:GetObject'], [...ofOrders(staging, REPAIR_PAGES), rejected(staging)]),
      allow(['s3:ListBucket'], [staging]),
    ],
  }),
  'data-protection': ({ intake, staging, orders, executions }) => ({
    description: 'Erases orders that are over, and puts orders on hold; may not read files',
    statements: [
      allow(['dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'], [orders]),
      readPause(orders),
      allow(['s3:ListBucketVersions'], [intake, staging]),
      allow(
        ['s3:DeleteObjectVersion'],
        [...ofOrders(intake, ['*']), ...ofOrders(staging, ['*']), rejected(staging, '*')],
      ),
      allow(['s3:PutObject'], ofOrders(staging, ['erased.json'])),
      allow(['states:DescribeExecution'], [executions]),
    ],
  }),
  auditor: ({ intake, staging, stack, orders, stateMachine, executions, logGroups, alarms }) => ({
    description: 'Reads everything about orders, except the credentials',
    statements: [
      allow(['cloudformation:ListStackResources', 'cloudformation:GetTemplate'], [stack]),
      allow(['s3:GetObject', 's3:GetObjectVersion'], [`${intake}/*`, `${staging}/*`]),
      allow(['s3:ListBucket', 's3:ListBucketVersions'], [intake, staging]),
      allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:Scan'], withIndexes(orders)),
      allow(['states:DescribeStateMachine', 'states:ListExecutions'], [stateMachine]),
      allow(['states:DescribeExecution', 'states:GetExecutionHistory'], [executions]),
      allow(READ_LOGS, [logGroups]),
      READ_QUERIES,
      allow(READ_ALARMS, [alarms]),
    ],
  }),
} satisfies Record<string, (resources: PeopleResources) => PersonRights>;

export type Person = keyof typeof rightsOfPeople;
export const people = Object.keys(rightsOfPeople) as Person[];

/** Additional rights of an operator, for `doctor` and docs/operations.md. With long names, one policy would be longer than IAM allows. */
export const operatorsStage = ({ secrets, ...resources }: PeopleResources): PersonRights => ({
  description: 'Looks after the stage: doctor, logs, queues, alarms. Attach it beside the operator',
  statements: [
    allow(
      ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', ...REDRIVE],
      resources.deadLetters,
    ),
    allow(['sqs:SendMessage', 'sqs:GetQueueAttributes'], resources.queues),
    // `doctor` sees whether a secret has a value. New credentials replace the old ones without reading them.
    allow(['secretsmanager:DescribeSecret', 'secretsmanager:PutSecretValue'], secrets),
    // `doctor` compares the settings with the account's quota.
    allow(['lambda:GetAccountSettings'], ['*']),
    allow(READ_LOGS, [resources.logGroups]),
    READ_QUERIES,
    allow(['lambda:InvokeFunction'], [resources.sweep]),
    allow(['scheduler:GetSchedule'], [resources.schedule]),
    allow(READ_ALARMS, [resources.alarms]),
    // `doctor` sees whether they have what the stage needs.
    ...(resources.adoptedTable === undefined
      ? []
      : [allow(['dynamodb:DescribeTable', 'dynamodb:DescribeContinuousBackups'], [resources.adoptedTable])]),
    ...(resources.givenBuckets.length > 0
      ? [allow(['s3:GetBucketVersioning', 's3:GetBucketNotification'], resources.givenBuckets)]
      : []),
    // `doctor` sees whether the topic has a subscriber.
    ...(resources.alarmTopic === undefined ? [] : [allow(['sns:GetTopicAttributes'], [resources.alarmTopic])]),
  ],
});

/** Additional rights for an auditor who signs the evidence of orders (docs/evidence.md). Only for stages with a key for evidence. */
export const evidenceSigner = (evidenceKey: string): PersonRights => ({
  description: 'Signs with the key for evidence. Attach it beside the auditor, to whoever writes signed evidence',
  statements: [allow(['kms:GetPublicKey', 'kms:Sign'], [evidenceKey])],
});

/** Lets a person read the pause of the stage. Only `operator` and `auditor` may read every item. */
function readPause(orders: string): PolicyStatementProps {
  return { ...allow(['dynamodb:GetItem'], [orders]), conditions: STAGE_ONLY };
}

/** Lets a person read the orders and their lists. */
const readOrders = (orders: string): PolicyStatementProps =>
  allow(['dynamodb:Query', 'dynamodb:BatchGetItem'], withIndexes(orders));

const withIndexes = (orders: string) => [
  orders,
  `${orders}/index/byStatus`,
  `${orders}/index/${BY_WAITING}`,
  `${orders}/index/${BY_LIST}`,
];

/** People who sign or decide may not upload packages, whatever other policies they have. */
function neverPackages(intake: string): PolicyStatementProps {
  return { effect: Effect.DENY, actions: ['s3:PutObject'], resources: ofOrders(intake, PACKAGE) };
}

function allow(actions: string[], resources: string[]): PolicyStatementProps {
  return { effect: Effect.ALLOW, actions, resources };
}

const ofOrders = (bucket: string, patterns: string[]): string[] =>
  patterns.map((pattern) => `${bucket}/orders/*/${pattern}`);

/** The answers to rejected uploads: all of them, or the answers to matching uploads in folders of orders. */
const rejected = (staging: string, pattern?: string): string =>
  `${staging}/${ANSWERS_PREFIX}${pattern === undefined ? '*' : `orders/*/${pattern}`}`;
