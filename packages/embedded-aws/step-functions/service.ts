import { randomUUID } from 'node:crypto';
import { type Account, arn } from '../account.ts';
import {
  AwsError,
  existing,
  type Json,
  type JsonObject,
  type Operations,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';
import { describeExecution, executionHistory, listExecution, page } from './descriptions.ts';
import { Execution, type ExecutionServices } from './execution.ts';
import type { StateMachine } from './state-machine.ts';

/** The limit for inputs and outputs. Bytes. */
const LARGEST_DATA = 262_144;
const STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE'];

export function createStepFunctions(account: Account, services: ExecutionServices) {
  const machines = new Map<string, StateMachine>();
  const executions = new Map<string, Execution>();
  const machineOf = (input: JsonObject): StateMachine => {
    const machineArn = requiredArn(input, 'stateMachineArn');
    const problem = `State Machine Does Not Exist: '${machineArn}'`;
    return existing(machines.get(machineArn), 'StateMachineDoesNotExist', problem);
  };
  const executionOf = (input: JsonObject): Execution => {
    const executionArn = requiredArn(input, 'executionArn');
    const problem = `Execution Does Not Exist: '${executionArn}'`;
    return existing(executions.get(executionArn), 'ExecutionDoesNotExist', problem);
  };
  /**
   * Input: `{stateMachineArn, name?, input? (JSON as a string)}`. While an execution runs, a second start with the same name and input
   * returns the same execution. `startDate` is in seconds.
   */
  const startExecution = (input: JsonObject): { executionArn: string; startDate: number } => {
    const machine = machineOf(input);
    const name = checkedName(optionalString(input, 'name') ?? randomUUID());
    const text = optionalString(input, 'input') ?? '{}';
    parseData(text, 'InvalidExecutionInput', 'State Machine Execution Input');
    const executionArn = arn(account, 'states', `execution:${machine.name}:${name}`);
    const existing = executions.get(executionArn);
    if (existing?.status === 'RUNNING' && existing.input === text)
      return { executionArn, startDate: existing.startDate / 1000 };
    if (existing) throw new AwsError('ExecutionAlreadyExists', `Execution Already Exists: '${executionArn}'`);
    const execution = new Execution(machine, { arn: executionArn, name, input: text }, services);
    executions.set(executionArn, execution);
    execution.start();
    return { executionArn, startDate: execution.startDate / 1000 };
  };
  const operations: Operations = {
    StartExecution: startExecution,
    DescribeExecution: (input) => describeExecution(executionOf(input)),
    StopExecution: (input) => stop(executionOf(input), input),
    RedriveExecution: (input) => {
      const token = optionalString(input, 'clientToken') ?? randomUUID();
      return { redriveDate: executionOf(input).redrive(token) / 1000 };
    },
    ListExecutions: (input) => list(machineOf(input), [...executions.values()], input),
    GetExecutionHistory: (input) => executionHistory(executionOf(input), input),
    DescribeStateMachineForExecution: (input) => describeMachine(executionOf(input).stateMachine),
    SendTaskSuccess: (input) => {
      const output = parseData(requiredString(input, 'output'), 'InvalidOutput', 'Output');
      services.tokens.succeed(requiredString(input, 'taskToken'), output);
    },
    SendTaskFailure: (input) => {
      const [error = '', cause = ''] = [optionalString(input, 'error'), optionalString(input, 'cause')];
      services.tokens.fail(requiredString(input, 'taskToken'), error, cause);
    },
  };
  const discardAll = (): void => {
    for (const execution of executions.values()) execution.discard();
  };
  return {
    operations,
    startExecution,
    discardAll,
    add: (machine: StateMachine): void => void machines.set(machine.arn, machine),
    describeRunning: (): string[] => {
      const running = [...executions.values()].filter(({ status }) => status === 'RUNNING');
      return running.map((execution) => `${execution.name} is at ${execution.describePosition()}`);
    },
    forget: (): void => {
      discardAll();
      executions.clear();
    },
  };
}

function stop(execution: Execution, input: JsonObject): object {
  execution.stop(optionalString(input, 'error'), optionalString(input, 'cause'));
  return { stopDate: (execution.stopDate ?? 0) / 1000 };
}

function list({ arn: machineArn }: StateMachine, executions: readonly Execution[], input: JsonObject): object {
  const status = optionalString(input, 'statusFilter');
  if (status !== undefined && !STATUSES.includes(status)) {
    throw new AwsError('ValidationException', `statusFilter must be one of ${STATUSES.join(', ')}.`);
  }
  if (input.redriveFilter !== undefined)
    throw new AwsError('ValidationException', 'redriveFilter cannot be used with stateMachineArn.');
  const found = executions.filter(
    ({ stateMachine, status: own }) => stateMachine.arn === machineArn && (status === undefined || own === status),
  );
  return page('executions', found.reverse().map(listExecution), input);
}

function requiredArn(input: JsonObject, member: string): string {
  const given = requiredString(input, member);
  if (given.startsWith('arn:aws:states:')) return given;
  throw new AwsError('InvalidArn', `Invalid Arn: '${given}'`);
}

function checkedName(name: string): string {
  if (name.length > 80) throw new AwsError('ValidationException', 'A name has at most 80 characters.');
  if (/^[^\s<>{}[\]?*"#%\\^|~`$&,;:/]+$/.test(name)) return name;
  throw new AwsError('InvalidName', `Invalid Name: '${name}'`);
}

/** Parses JSON data. If it is not JSON, throws an AwsError with the code `invalid`; its message names `what`. */
function parseData(text: string, invalid: string, what: string): Json {
  const size = Buffer.byteLength(text);
  if (size > LARGEST_DATA) {
    throw new AwsError('ValidationException', `The data has ${size} bytes; at most ${LARGEST_DATA} are allowed.`);
  }
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new AwsError(invalid, `Invalid ${what}: '${(error as Error).message}'`);
  }
}

function describeMachine(machine: StateMachine): object {
  const { arn: stateMachineArn, name, roleArn, definition } = machine;
  return { stateMachineArn, name, roleArn, definition: JSON.stringify(definition) };
}
