import { CloudFormationClient, DescribeStacksCommand, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, GetQueryResultsCommand, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { breaks, casesOf, embedded, misdirected, unjudged } from '../case.ts';

const sts = casesOf(STSClient, 'https://docs.aws.amazon.com/STS/latest/APIReference/API_{operation}.html');
const stacks = casesOf(CloudFormationClient, 'https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_{operation}.html', ({ bus }) => ({ StackName: bus }));
const alarms = casesOf(CloudWatchClient, 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_{operation}.html');
const logs = casesOf(CloudWatchLogsClient, 'https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_{operation}.html');
const minute = Math.floor(Date.now() / 1000);
const query = { startTime: minute - 60, endTime: minute, queryString: 'fields @message' };

/** What operators read: who they are, the stack, its alarms and its logs. */
export const operations = {
  service: 'Operations',
  cases: [
    sts.answers('who calls', GetCallerIdentityCommand, {}, ({ Account, Arn = '' }) => Arn.includes(`:${Account}:`) && /^arn:aws:(iam|sts)::\d{12}:/.test(Arn), true),
    sts.answers('a role that was assumed', GetCallerIdentityCommand, {}, ({ Arn }) => Arn?.includes('estricted'), true, { restricted: true }),
    sts.answers(
      'a role that trusts the account',
      AssumeRoleCommand,
      ({ restrictedRole }) => ({ RoleArn: restrictedRole, RoleSessionName: 'conformance' }),
      ({ AssumedRoleUser, Credentials }) => [AssumedRoleUser?.Arn?.endsWith('/conformance'), Credentials?.AccessKeyId?.startsWith('ASIA')],
      [true, true],
    ),
    sts.refuses(
      'a role that trusts a service alone',
      AssumeRoleCommand,
      ({ restrictedRole, machineRole = '' }) => ({ RoleArn: restrictedRole?.replace(/[^/]+$/, machineRole), RoleSessionName: 'conformance' }),
      'AccessDenied',
      unjudged,
    ),
    sts.refuses('a request that is signed for another service', GetCallerIdentityCommand, {}, 'SignatureDoesNotMatch', { ...misdirected, signedFor: 'dynamodb' }),
    stacks.answers('a stack', DescribeStacksCommand, {}, ({ Stacks }) => Stacks?.[0]?.Outputs?.some(({ OutputKey }) => OutputKey === 'table'), true),
    stacks.refuses('a stack that does not exist', DescribeStacksCommand, { StackName: 'conformance-none' }, 'ValidationError'),
    stacks.answers(
      'a stack',
      ListStackResourcesCommand,
      {},
      ({ StackResourceSummaries: found = [] }) => found.filter(({ ResourceType }) => ResourceType === 'AWS::DynamoDB::Table').map(({ LogicalResourceId }) => LogicalResourceId),
      ['Table'],
    ),
    stacks.refuses('a stack that does not exist', ListStackResourcesCommand, { StackName: 'conformance-none' }, 'ValidationError'),
    stacks.refuses('a request that is signed for another service', DescribeStacksCommand, {}, 'SignatureDoesNotMatch', { ...misdirected, signedFor: 'dynamodb' }),
    logs.refuses('a request that is signed for another service', StartQueryCommand, query, 'InvalidSignatureException', misdirected),
    alarms.answers(
      'an alarm that does not exist',
      DescribeAlarmsCommand,
      { AlarmNames: ['conformance-none'] },
      ({ MetricAlarms = [] }) => MetricAlarms,
      [],
      embedded('UnknownOperationException', 'CloudWatch evaluates alarms on AWS only.'),
    ),
    logs.answers(
      'a log group',
      StartQueryCommand,
      ({ logGroup }) => ({ ...query, logGroupName: logGroup }),
      ({ queryId }) => queryId !== undefined,
      true,
      { eventually: true, keep: ({ queryId }) => ({ query: queryId }) },
    ),
    logs.refuses('a log group that does not exist', StartQueryCommand, { ...query, logGroupName: 'conformance-none' }, 'ResourceNotFoundException'),
    logs.answers(
      'an empty log group',
      GetQueryResultsCommand,
      ({ query }) => ({ queryId: query }),
      ({ status, results }) => [status, results],
      ['Complete', []],
      { eventually: true },
    ),
    logs.refuses('a query that does not exist', GetQueryResultsCommand, { queryId: '00000000-0000-4000-8000-000000000000' }, 'ResourceNotFoundException', breaks),
  ],
};
