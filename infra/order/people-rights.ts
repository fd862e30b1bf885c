import { Effect, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import { BY_WAITING } from '../../core/order/order-item.ts';
import { PAUSE_KEY } from '../../core/order/stage-pause.ts';
import { ANSWERS_PREFIX } from '../../core/staging/rejected-upload.ts';
import { operatorsRecord } from './operator-record.ts';

/** The ARNs that rights name. Those of buckets have no path. */
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
  /** What alarms notify. Undefined on the laptop. */
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
/** What is uploaded to intake, by kind. */
export const UPLOADS = { packages: PACKAGE, signatures: ['signatures/*'], decisions: ['decision.json'] };
/** What a signer, and a credit desk, read in staging. */
const PAGES_TO_SIGN = ['to-sign.json', 'signatures-rejected/*', 'signatures-unchecked/*', 'status.json', 'to-sign/*'];
const PAGES_TO_DECIDE = ['offers.json', 'choices.json', 'decision-rejected.json', 'status.json'];
/** What docs/operations.md sends an operator to in staging. None of them is a document or an offer. */
const REPAIR_PAGES = ['errors/*', 'snapshot.json', 'issues.json', 'choices.json', 'status.json'];
/** The pause of the stage, which every command shows. */
const STAGE_ONLY = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [PAUSE_KEY.orderRef] } };
const READ_LOGS = ['logs:StartQuery', 'logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams'];
/**
 * A request names no log group. Only whoever has the identifier of a query reads its results. Without the others, the console shows no
 * saved query and no log group.
 */
const READ_QUERIES = allow(['logs:GetQueryResults', 'logs:DescribeQueryDefinitions', 'logs:DescribeLogGroups'], ['*']);
const READ_ALARMS = ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'];

/** What SQS's own redrive needs beside the rights to receive, delete and send (docs/operations.md, "Events that failed"). */
const REDRIVE = ['sqs:GetQueueAttributes', 'sqs:StartMessageMoveTask', 'sqs:ListMessageMoveTasks'];

/**
 * The rights of each person who works with a stage, beside that to read the outputs of the stack. Nobody may read the credentials. Only
 * {@link evidenceSigner} may use a signing key, and only `data-protection` may remove files. All but `back-office` and `auditor` have
 * what their commands call: a test derives it from `commands/`.
 */
export const rightsOfPeople = {
  'back-office': ({ intake, staging, orders }) => ({
    description: 'Uploads order packages and reads what became of them',
    statements: [
      // Reads back what it uploaded: a repeated upload sends only what is missing.
      allow(
        ['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
        ofOrders(intake, PACKAGE),
      ),
      allow(['s3:ListBucketMultipartUploads'], [intake]),
      allow(['s3:GetObject'], [...ofOrders(staging, ['status.json', 'issues.json']), rejected(staging)]),
      allow(['s3:ListBucket'], [intake, staging]),
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
      allow(['dynamodb:Query'], [orders, `${orders}/index/byStatus`]),
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
      // Reads the decision that is there: another one replaces it only if it is known.
      allow(['s3:PutObject', 's3:GetObject'], ofOrders(intake, UPLOADS.decisions)),
      neverPackages(intake),
    ],
  }),
  operator: ({ staging, stack, orders, stateMachine, executions, secrets, ...resources }) => ({
    description: 'Inspects and repairs orders with the command line',
    statements: [
      allow(['cloudformation:ListStackResources'], [stack]),
      ...operatorsRecord(orders),
      allow(['dynamodb:Query', 'dynamodb:Scan'], [`${orders}/index/byStatus`]),
      // `resume` counts the orders that wait for the service.
      allow(['dynamodb:Query'], [`${orders}/index/${BY_WAITING}`]),
      allow(['states:StartExecution'], [stateMachine]),
      allow(['states:DescribeExecution', 'states:StopExecution'], [executions]),
      allow(
        ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', ...REDRIVE],
        resources.deadLetters,
      ),
      allow(['sqs:SendMessage', 'sqs:GetQueueAttributes'], resources.queues),
      // `doctor` sees whether a secret has a value, and when it was changed.
      allow(['secretsmanager:DescribeSecret'], secrets),
      // Beyond the commands: what docs/operations.md asks for.
      allow(['s3:GetObject'], [...ofOrders(staging, REPAIR_PAGES), rejected(staging)]),
      allow(['s3:ListBucket'], [staging]),
      allow(READ_LOGS, [resources.logGroups]),
      READ_QUERIES,
      allow(['states:DescribeStateMachine', 'states:ListExecutions'], [stateMachine]),
      allow(
        ['states:GetExecutionHistory', 'states:DescribeStateMachineForExecution', 'states:RedriveExecution'],
        [executions],
      ),
      // The first page of the console. It names no state machine.
      allow(['states:ListStateMachines'], ['*']),
      allow(['lambda:InvokeFunction'], [resources.sweep]),
      allow(['scheduler:GetSchedule'], [resources.schedule]),
      // Replaces the credentials without reading them.
      allow(['secretsmanager:PutSecretValue'], secrets),
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
      allow(
        ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:Scan'],
        [orders, `${orders}/index/byStatus`, `${orders}/index/${BY_WAITING}`],
      ),
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

/** What somebody needs beside the policy `auditor` to sign the evidence of orders (docs/evidence.md). Only stages with a key for it have it. */
export const evidenceSigner = (evidenceKey: string): PersonRights => ({
  description: 'Signs with the key for evidence. Attach it beside the auditor, to whoever writes signed evidence',
  statements: [allow(['kms:GetPublicKey', 'kms:Sign'], [evidenceKey])],
});

/** Lets a person read the pause of the stage. Only `operator` and `auditor` may read every item. */
function readPause(orders: string): PolicyStatementProps {
  return { ...allow(['dynamodb:GetItem'], [orders]), conditions: STAGE_ONLY };
}

/** Whoever signs or decides may not upload packages, whatever other policies the person has. */
function neverPackages(intake: string): PolicyStatementProps {
  return { effect: Effect.DENY, actions: ['s3:PutObject'], resources: ofOrders(intake, PACKAGE) };
}

function allow(actions: string[], resources: string[]): PolicyStatementProps {
  return { effect: Effect.ALLOW, actions, resources };
}

const ofOrders = (bucket: string, patterns: string[]): string[] =>
  patterns.map((pattern) => `${bucket}/orders/*/${pattern}`);

/** The answers to rejected uploads: all of them, or those to uploads in folders of orders that match. */
const rejected = (staging: string, pattern?: string): string =>
  `${staging}/${ANSWERS_PREFIX}${pattern === undefined ? '*' : `orders/*/${pattern}`}`;
