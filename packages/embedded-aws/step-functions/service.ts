import { randomUUID } from 'node:crypto';
import { type Account, arn } from '../account.ts';
import {
  AwsError,
  epochSeconds,
  type Json,
  type JsonObject,
  type Operations,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';
import { describeExecution, executionHistory, listExecution, page } from './descriptions.ts';
import { Execution, type ExecutionServices } from './execution.ts';
import type { StateMachine } from './state-machine.ts';

/** Bytes of an input or output. */
const LARGEST_DATA = 262_144;
const STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE'];

/** Step Functions: the state machines of the account, their executions, and the API. */
export class StepFunctionsService {
  readonly #machines = new Map<string, StateMachine>();
  /** In the order of their starts. */
  readonly #executions = new Map<string, Execution>();
  readonly #account: Account;
  readonly #services: ExecutionServices;

  constructor(account: Account, services: ExecutionServices) {
    this.#account = account;
    this.#services = services;
  }

  add(machine: StateMachine): void {
    this.#machines.set(machine.arn, machine);
  }

  /** One line for each execution that has not ended. */
  describeRunning(): string[] {
    const running = [...this.#executions.values()].filter(({ status }) => status === 'RUNNING');
    return running.map((execution) => `${execution.name} is at ${execution.describePosition()}`);
  }

  /** Ends every running execution without history or event. */
  discardAll(): void {
    for (const execution of this.#executions.values()) execution.discard();
  }

  forget(): void {
    this.discardAll();
    this.#executions.clear();
  }

  operations(): Operations {
    const { tokens } = this.#services;
    return {
      StartExecution: (input) => {
        const { executionArn, startDate } = this.startExecution(input);
        return { executionArn, startDate: epochSeconds(startDate) };
      },
      DescribeExecution: (input) => describeExecution(this.#execution(input)),
      StopExecution: (input) => this.#stop(input),
      RedriveExecution: (input) => {
        const token = optionalString(input, 'clientToken') ?? randomUUID();
        return { redriveDate: epochSeconds(this.#execution(input).redrive(token)) };
      },
      ListExecutions: (input) => this.#list(input),
      GetExecutionHistory: (input) => executionHistory(this.#execution(input), input),
      DescribeStateMachineForExecution: (input) => describeMachine(this.#execution(input).stateMachine),
      SendTaskSuccess: (input) => {
        const output = parseData(requiredString(input, 'output'), 'InvalidOutput', 'Output');
        tokens.succeed(requiredString(input, 'taskToken'), output);
      },
      SendTaskFailure: (input) => {
        const [error = '', cause = ''] = [optionalString(input, 'error'), optionalString(input, 'cause')];
        tokens.fail(requiredString(input, 'taskToken'), error, cause);
      },
    };
  }

  /**
   * Input: `{stateMachineArn, name?, input? (JSON as a string)}`. While an execution runs, a second start with the same name and input
   * returns the same execution.
   */
  startExecution(input: JsonObject): { executionArn: string; startDate: number } {
    const machine = this.#machine(input);
    const name = checkedName(optionalString(input, 'name') ?? randomUUID());
    const text = optionalString(input, 'input') ?? '{}';
    parseData(text, 'InvalidExecutionInput', 'State Machine Execution Input');
    const executionArn = arn(this.#account, 'states', `execution:${machine.name}:${name}`);
    const existing = this.#executions.get(executionArn);
    if (existing?.status === 'RUNNING' && existing.input === text)
      return { executionArn, startDate: existing.startDate };
    if (existing) {
      throw new AwsError('ExecutionAlreadyExists', `Execution Already Exists: '${executionArn}'`);
    }
    const execution = new Execution(machine, { arn: executionArn, name, input: text }, this.#services);
    this.#executions.set(executionArn, execution);
    execution.start();
    return { executionArn, startDate: execution.startDate };
  }

  #stop(input: JsonObject): object {
    const execution = this.#execution(input);
    execution.stop(optionalString(input, 'error'), optionalString(input, 'cause'));
    return { stopDate: epochSeconds(execution.stopDate ?? 0) };
  }

  #list(input: JsonObject): object {
    const { arn: machineArn } = this.#machine(input);
    const status = optionalString(input, 'statusFilter');
    if (status !== undefined && !STATUSES.includes(status)) {
      throw new AwsError('ValidationException', `statusFilter must be one of ${STATUSES.join(', ')}.`);
    }
    if (input.redriveFilter !== undefined)
      throw new AwsError('ValidationException', 'redriveFilter is not for the executions of a state machine.');
    const found = [...this.#executions.values()].filter(
      ({ stateMachine, status: own }) => stateMachine.arn === machineArn && (status === undefined || own === status),
    );
    return page('executions', found.reverse().map(listExecution), input);
  }

  #machine(input: JsonObject): StateMachine {
    const machineArn = requiredArn(input, 'stateMachineArn');
    const machine = this.#machines.get(machineArn);
    if (machine) return machine;
    throw new AwsError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${machineArn}'`);
  }

  #execution(input: JsonObject): Execution {
    const executionArn = requiredArn(input, 'executionArn');
    const execution = this.#executions.get(executionArn);
    if (execution) return execution;
    throw new AwsError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
  }
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

/** `invalid` is the code for text that is not JSON, `what` stands before the reason. */
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
