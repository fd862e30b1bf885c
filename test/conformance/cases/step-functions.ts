import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  RedriveExecutionCommand,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { breaks, casesOf, moto, notRun, type Scope, unchecked } from '../case.ts';

const reference = 'https://docs.aws.amazon.com/step-functions/latest/apireference/API_{operation}.html';
const { answers: starts, refuses: refusesStart } = casesOf(SFNClient, reference, ({ machine }) => ({ stateMachineArn: machine }));
const { answers, refuses } = casesOf(SFNClient, reference, ({ execution }) => ({ executionArn: execution }));
const token = casesOf(SFNClient, reference, ({ token }) => ({ taskToken: token }));
const queue = casesOf(SQSClient, 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_{operation}.html', ({ tokenQueue }) => ({ QueueUrl: tokenQueue }));
const started = { keep: ({ executionArn }: { executionArn?: string | undefined }) => ({ execution: executionArn }) };
const nameOf = ({ executionArn = '' }: { executionArn?: string | undefined }) => executionArn.split(':').pop();
const statusOf = ({ status }: { status?: string | undefined }) => status;
const types = ({ events = [] }: { events?: { type?: string | undefined }[] | undefined }) => events.map(({ type }) => type);
const names = ({ executions = [] }: { executions?: { name?: string | undefined }[] | undefined }) => executions.map(({ name }) => name);
const missing = ({ execution = '' }: Scope) => ({ executionArn: execution.replace(/[^:]*$/, 'none') });
const passed = notRun('["ExecutionStarted","PassStateEntered","PassStateExited","ExecutionSucceeded"]');
const FAILED = ['ExecutionStarted', 'ChoiceStateEntered', 'ChoiceStateExited', 'FailStateEntered', 'ExecutionFailed'];
const next = { keep: ({ nextToken }: { nextToken?: string | undefined }) => ({ next: nextToken }) };
const ending = ({ status, error, cause }: DescribeExecutionCommandOutput) => [status, error, cause];
const soon = (got: string) => ({ eventually: true, ...notRun(got) });
const redrives = ({ redriveCount, redriveStatus, redriveStatusReason }: DescribeExecutionCommandOutput) => [redriveCount, redriveStatus, redriveStatusReason];
const untold = moto('[null,null,null]', 'moto does not know redrives.');
const wait = { name: 'waiting', input: '{"then":"Wait"}' };

const start = [
  starts('an execution', StartExecutionCommand, wait, nameOf, 'waiting', started),
  starts('the same name and input while it runs', StartExecutionCommand, wait, nameOf, 'waiting'),
  refusesStart('the same name with another input', StartExecutionCommand, { ...wait, input: '{}' }, 'ExecutionAlreadyExists'),
  refusesStart('a name with a space', StartExecutionCommand, { name: 'a b' }, 'InvalidName'),
  refusesStart('a name of 81 characters', StartExecutionCommand, { name: 'x'.repeat(81) }, 'ValidationException'),
  refusesStart('an input that is not JSON', StartExecutionCommand, { input: '{' }, 'InvalidExecutionInput'),
  refusesStart('a state machine that does not exist', StartExecutionCommand, ({ machine }) => ({ stateMachineArn: `${machine}-none` }), 'StateMachineDoesNotExist'),
  refusesStart('an ARN that is none', StartExecutionCommand, { stateMachineArn: 'none' }, 'InvalidArn'),
];

const running = [
  answers('an execution that runs', DescribeExecutionCommand, {}, ({ status, input }) => [status, input], ['RUNNING', wait.input]),
  answers('whether an execution that runs can be redriven', DescribeExecutionCommand, {}, redrives, [0, 'NOT_REDRIVABLE', 'Execution is RUNNING and cannot be redriven'], untold),
  refuses('an execution that runs', RedriveExecutionCommand, {}, 'ExecutionNotRedrivable', breaks),
  refuses('an execution that does not exist', RedriveExecutionCommand, missing, 'ExecutionDoesNotExist', breaks),
  refuses('an execution that does not exist', DescribeExecutionCommand, missing, 'ExecutionDoesNotExist'),
  refuses('an ARN that is none', DescribeExecutionCommand, { executionArn: 'none' }, 'InvalidArn'),
  answers('with an error', StopExecutionCommand, { error: 'Stopped', cause: 'by the suite' }, ({ stopDate }) => stopDate instanceof Date, true),
  answers('an execution that was stopped', DescribeExecutionCommand, {}, ending, ['ABORTED', 'Stopped', 'by the suite'], soon('["ABORTED",null,null]')),
  refusesStart('the same name and input after the end', StartExecutionCommand, wait, 'ExecutionAlreadyExists'),
  refuses('an execution that does not exist', StopExecutionCommand, missing, 'ExecutionDoesNotExist'),
  starts('an execution that fails', StartExecutionCommand, { name: 'failing', input: '{"then":"Fail"}' }, nameOf, 'failing', started),
  answers('an execution that failed', DescribeExecutionCommand, {}, ending, ['FAILED', 'Asked', 'The input asks for a failure.'], soon('["RUNNING",null,null]')),
];

const history = [
  answers('every event', GetExecutionHistoryCommand, {}, types, FAILED, passed),
  answers('the last event', GetExecutionHistoryCommand, { reverseOrder: true, maxResults: 1 }, types, FAILED.slice(-1), { ...next, ...passed }),
  answers('the event before it', GetExecutionHistoryCommand, ({ next }) => ({ reverseOrder: true, maxResults: 1, nextToken: next }), types, FAILED.slice(-2, -1), passed),
  refuses('a token that AWS never gives', GetExecutionHistoryCommand, { nextToken: 'none' }, 'InvalidToken', unchecked),
  refuses('more than 1,000 events', GetExecutionHistoryCommand, { maxResults: 1_001 }, 'ValidationException', unchecked),
  refuses('an execution that does not exist', GetExecutionHistoryCommand, missing, 'ExecutionDoesNotExist'),
  starts('executions that failed', ListExecutionsCommand, { statusFilter: 'FAILED' }, names, ['failing'], soon('[]')),
  starts('the newest', ListExecutionsCommand, { maxResults: 1 }, names, ['failing'], { eventually: true, ...next }),
  starts('the one before it', ListExecutionsCommand, ({ next }) => ({ maxResults: 1, nextToken: next }), names, ['waiting']),
  refusesStart('a status that does not exist', ListExecutionsCommand, { statusFilter: 'NONE' as 'FAILED' }, 'ValidationException', unchecked),
  refusesStart('a state machine that does not exist', ListExecutionsCommand, ({ machine }) => ({ stateMachineArn: `${machine}-none` }), 'StateMachineDoesNotExist'),
];

const redrive = [
  answers('whether an execution that failed can be redriven', DescribeExecutionCommand, {}, redrives, [0, 'REDRIVABLE', undefined], untold),
  answers('an execution that failed', RedriveExecutionCommand, {}, ({ redriveDate }) => redriveDate instanceof Date, true, breaks),
  answers('a redriven execution', DescribeExecutionCommand, {}, redrives, [1, 'REDRIVABLE', undefined], { eventually: true, ...untold }),
  answers('a redrive, which does not enter its state again', GetExecutionHistoryCommand, {}, types, [...FAILED, 'ExecutionRedriven', 'ExecutionFailed'], passed),
  refusesStart('a filter of redriven executions', ListExecutionsCommand, { redriveFilter: 'REDRIVEN' }, 'ValidationException', unchecked),
];

const ask = (name: string) => [
  starts(`an execution that waits for a token: ${name}`, StartExecutionCommand, { name, input: '{"then":"Ask"}' }, nameOf, name, started),
  queue.answers('the token', ReceiveMessageCommand, {}, ({ Messages = [] }) => Messages.length, 1, { eventually: true, keep: ({ Messages }) => ({ token: Messages?.[0]?.Body }), ...notRun('0') }),
];

const tokens = [
  token.refuses('a token that AWS never gave', SendTaskSuccessCommand, { taskToken: 'none', output: '{}' }, 'InvalidToken', unchecked),
  ...ask('asking'),
  token.refuses('an output that is not JSON', SendTaskSuccessCommand, { output: '{' }, 'InvalidOutput', unchecked),
  token.refuses('an output of more than 256 KiB', SendTaskSuccessCommand, { output: JSON.stringify('x'.repeat(262_144)) }, 'ValidationException', unchecked),
  token.accepts('an answer', SendTaskSuccessCommand, { output: '{"answer":1}' }),
  answers('an execution that was answered', DescribeExecutionCommand, {}, ({ status, output }) => [status, output], ['SUCCEEDED', '{"answer":1}'], soon('["RUNNING",null]')),
  refuses('an execution that succeeded', RedriveExecutionCommand, {}, 'ExecutionNotRedrivable', breaks),
  token.refuses('a second answer', SendTaskSuccessCommand, { output: '{}' }, 'TaskTimedOut', unchecked),
  ...ask('refused'),
  token.accepts('a failure', SendTaskFailureCommand, { error: 'Refused', cause: '' }),
  answers('an execution that was refused', DescribeExecutionCommand, {}, statusOf, 'FAILED', soon('RUNNING')),
  refusesStart('an input of more than 256 KiB', StartExecutionCommand, { name: 'large', input: JSON.stringify('x'.repeat(262_144)) }, 'ValidationException', unchecked),
];

export const stepFunctions = { service: 'Step Functions', cases: [...start, ...running, ...history, ...redrive, ...tokens] };
