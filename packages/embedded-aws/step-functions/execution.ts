import type { EventBus, NewEvent } from '../events/bus.ts';
import type { Json, JsonObject } from '../protocol/operation.ts';
import type { Activity } from '../time/activity.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';
import type { Engine, Scope } from './engine.ts';
import { type EngineEvent, type Translation, translate } from './engine-events.ts';
import { ExecutionHistory, MAX_EVENTS, text, withOutput } from './history.ts';
import type { StateMachine } from './state-machine.ts';
import { TaskRunner } from './task-runner.ts';
import type { TaskTokens } from './task-tokens.ts';

export interface ExecutionServices {
  engine: Engine;
  clock: Clock;
  activity: Activity;
  tokens: TaskTokens;
  bus: EventBus;
  region: string;
}

const ENDING_EVENTS = { SUCCEEDED: 'Succeeded', FAILED: 'Failed', ABORTED: 'Aborted', TIMED_OUT: 'TimedOut' };

type ExecutionStatus = 'RUNNING' | keyof typeof ENDING_EVENTS;

/** How an execution ended. `output` is JSON. */
interface Ending {
  output?: string;
  error?: string;
  cause?: string;
}

/** One run of a state machine. */
export class Execution {
  readonly arn: string;
  readonly name: string;
  readonly stateMachine: StateMachine;
  /** The JSON text of the input. */
  readonly input: string;
  readonly startDate: number;
  readonly history: ExecutionHistory;
  status: ExecutionStatus = 'RUNNING';
  stopDate: number | undefined;
  ending: Ending = {};
  readonly #services: ExecutionServices;
  readonly #tasks: TaskRunner;
  readonly #timers = new Set<TimerHandle>();
  #abort: () => void = () => undefined;

  constructor(
    stateMachine: StateMachine,
    identity: { arn: string; name: string; input: string },
    services: ExecutionServices,
  ) {
    this.arn = identity.arn;
    this.name = identity.name;
    this.input = identity.input;
    this.stateMachine = stateMachine;
    this.startDate = services.clock.now();
    this.#services = services;
    this.history = new ExecutionHistory(services.clock, () => this.#endByHistoryLimit());
    const { tokens, activity, region } = services;
    this.#tasks = new TaskRunner({ tokens, activity, region, history: this.history });
  }

  start(): void {
    const scope: Scope = { timers: this.#timers, isStopped: () => this.status !== 'RUNNING' };
    this.#publishStatus();
    this.#services.engine.scope.run(scope, () => void this.#run(scope));
  }

  /** StopExecution. Running functions finish, but their results are ignored. */
  stop(error?: string, cause?: string): void {
    this.#end('ABORTED', { ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) });
  }

  /** Ends without history or event, for tests that share a stack. */
  discard(): void {
    if (this.status !== 'RUNNING') return;
    this.status = 'ABORTED';
    this.#release();
  }

  /** Its current states, as text for people, with those that wait for a token marked. */
  describePosition(): string {
    const waiting = this.#tasks.waitingForToken();
    const states = this.history.currentStates();
    return states.map((name) => `"${name}"${waiting.includes(name) ? ' (waits for a task token)' : ''}`).join(', ');
  }

  async #run(scope: Scope): Promise<void> {
    const { engine } = this.#services;
    const handlers = this.stateMachine.tasks.map((task) => [
      task.name,
      (parameters: Json) => this.#tasks.run(task, parameters, engine.scope.getStore() ?? scope),
    ]);
    const run = this.stateMachine.machine.run(JSON.parse(this.input) as Json, {
      overrides: { taskResourceLocalHandlers: Object.fromEntries(handlers) },
      context: this.#context(),
      noThrowOnAbort: true,
    });
    this.#abort = run.abort;
    const recorded = this.#record(run.eventLogs as AsyncGenerator<EngineEvent>);
    try {
      const output = await run.result;
      await recorded;
      this.#end('SUCCEEDED', { output: text(output) });
    } catch (error) {
      await recorded;
      this.#endByError(error as Error);
    }
  }

  #context(): JsonObject {
    const { name: Name, arn: Id, stateMachine } = this;
    const tasks = this.#tasks;
    return {
      Execution: { Id, Name, RoleArn: stateMachine.roleArn, RedriveCount: 0 },
      StateMachine: { Id: stateMachine.arn, Name: stateMachine.name },
      Task: {
        get Token() {
          return tasks.mintToken();
        },
      },
    };
  }

  async #record(events: AsyncGenerator<EngineEvent>): Promise<void> {
    const { query } = this.#services.engine;
    const translation: Translation = { ...this.stateMachine, history: this.history, query, failed: new Set() };
    for await (const event of events) {
      if (this.status !== 'RUNNING') return;
      translate(translation, event);
      const hasTimedOut = event.type === 'StateFailed' && event.Error === 'States.Timeout';
      if (hasTimedOut && event.state) this.#tasks.endTimedOut(event.state.name, event.index);
    }
  }

  #endByError(error: Error): void {
    if (error.name === 'ExecutionTimeoutError') {
      this.#end('TIMED_OUT', {});
      return;
    }
    const { name, message } = error.cause instanceof Error ? error.cause : error;
    this.#end('FAILED', { error: name, ...(message && { cause: message }) });
  }

  #endByHistoryLimit(): void {
    const cause = `The execution reached the maximum number of history events (${MAX_EVENTS}).`;
    this.#end('FAILED', { error: 'States.Runtime', cause });
  }

  #end(status: keyof typeof ENDING_EVENTS, ending: Ending): void {
    if (this.status !== 'RUNNING') return;
    const { output, ...reason } = ending;
    const details = output === undefined ? reason : withOutput(output);
    const event = ENDING_EVENTS[status];
    this.history.add(`Execution${event}`, { [`execution${event}EventDetails`]: details });
    this.status = status;
    this.ending = ending;
    this.stopDate = this.#services.clock.now();
    this.#release();
    this.#publishStatus();
  }

  #release(): void {
    this.#tasks.endAll();
    this.#abort();
    for (const timer of this.#timers) this.#services.clock.clearTimeout(timer);
    this.#timers.clear();
  }

  #publishStatus(): void {
    this.#services.bus.publish(statusChangeEvent(this));
  }
}

type ExecutionFacts = Pick<Execution, 'arn' | 'name' | 'input' | 'status' | 'startDate' | 'stopDate' | 'ending'>;

/** The event that Step Functions sends when the status of an execution changes. */
export function statusChangeEvent(execution: ExecutionFacts & { stateMachine: { arn: string } }): NewEvent {
  const { arn, name, stateMachine, input, status, startDate, stopDate = null } = execution;
  const { output = null, error = null, cause = null } = execution.ending;
  return {
    source: 'aws.states',
    'detail-type': 'Step Functions Execution Status Change',
    resources: [arn],
    detail: {
      executionArn: arn,
      stateMachineArn: stateMachine.arn,
      name,
      status,
      startDate,
      stopDate,
      input,
      output,
      inputDetails: { included: true },
      outputDetails: output === null ? null : { included: true },
      stateMachineVersionArn: null,
      stateMachineAliasArn: null,
      redriveCount: 0,
      redriveDate: null,
      redriveStatus: status === 'FAILED' ? 'REDRIVABLE' : 'NOT_REDRIVABLE',
      error,
      cause,
    },
  };
}
