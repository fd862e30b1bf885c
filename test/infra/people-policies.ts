import type { Statement } from '../helpers/deployed.ts';
import { templateOf } from '../helpers/template.ts';

const LOOKS = ['report', 'list', 'watch', 'show', 'doctor', 'shared/connection'];
const CHANGES = ['shared/many-orders', 'retry', 'resolve', 'abort', 'dismiss', 'migrate', 'relist', 'pause', 'resume'];

export const COMMANDS = {
  signer: ['sign', 'documents', 'shared/pause'],
  'credit-desk': ['offers', 'confirm', 'shared/pause'],
  operator: [...LOOKS, ...CHANGES, 'shared/pause'],
  'data-protection': ['hold', 'erase', 'shared/pause'],
} as const;

/** What docs/operations.md asks of an operator beyond our commands, with the AWS CLI or in the console. */
export const RUNBOOK: Record<string, string[]> = {
  "SQS's own redrive": [
    'sqs:GetQueueAttributes',
    'sqs:StartMessageMoveTask',
    'sqs:ListMessageMoveTasks',
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:SendMessage',
  ],
  'dead letters in the console': ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage'],
  'pages of an order in staging': ['s3:ListBucket', 's3:GetObject'],
  'logs of functions': ['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:DescribeLogStreams'],
  'saved queries in the console': [
    'logs:StartQuery',
    'logs:GetQueryResults',
    'logs:DescribeQueryDefinitions',
    'logs:DescribeLogGroups',
  ],
  'executions in the console': [
    'states:DescribeStateMachine',
    'states:ListExecutions',
    'states:DescribeExecution',
    'states:GetExecutionHistory',
    'states:ListStateMachines',
    'states:DescribeStateMachineForExecution',
    'states:RedriveExecution',
  ],
  'the sweep and its schedule': ['lambda:InvokeFunction', 'scheduler:GetSchedule'],
  'new credentials': ['secretsmanager:PutSecretValue'],
  alarms: ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'],
};

export type Policy = {
  Properties: { Description: string; ManagedPolicyName: unknown; PolicyDocument: { Statement: Statement[] } };
};

export const template = templateOf('prod');
export const policies = Object.values(template.findResources('AWS::IAM::ManagedPolicy')) as Policy[];
/** The person of a policy, whose name ends with the region. The operator has two. */
export const personOf = ({ Properties }: Policy) =>
  /"loan-orders-prod-(.*?)(-stage)?-"/.exec(JSON.stringify(Properties.ManagedPolicyName))?.[1] ?? '';
export const statementsOf = (person: string): Statement[] =>
  policies
    .filter((policy) => personOf(policy) === person)
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
export const allowedTo = (person: string) => [
  ...new Set(
    statementsOf(person)
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(({ Action }) => Action),
  ),
];
