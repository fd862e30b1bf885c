import type { EventBus } from '../events/bus.ts';
import { AwsError, type Json, type JsonObject } from '../protocol/operation.ts';
import type { Activity } from '../time/activity.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';
import type { Engine } from './engine.ts';
import { type EngineEvent, type Translation, translate } from './engine-events.ts';
import { ExecutionHistory, jsonText, MAX_EVENTS, withOutput } from './history.ts';
import { currentStates, type Progress, type Scope } from './progress.ts';
import type { StateMachine } from './state-machine.ts';
import { type Ending, statusChangeEvent } from './status-event.ts';
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

/** How long after its end an execution can be redriven. Milliseconds. */
const REDRIVABLE_PERIOD = 14 * 86_400_000;
/** How many client tokens of redrives are remembered, and for how many milliseconds. */
const [KNOWN_TOKENS, TOKEN_PERIOD] = [10, 15 * 60_000];

type ExecutionStatus = 'RUNNING' | keyof typeof ENDING_EVENTS;

export class Execution {
  readonly arn: string;
  readonly name: string;
  readonly stateMachine: StateMachine;
  readonly input: string;
  readonly startDate: number;
  readonly history: ExecutionHistory;
  status: ExecutionStatus = 'RUNNING';
  stopDate: number | undefined;
  ending: Ending = {};
  readonly #redrives: { token: string; date: number }[] = [];
  readonly #progress: Progress = { nested: [] };
  readonly #services: ExecutionServices;
  readonly #tasks: TaskRunner;
  readonly #timers = new Set<TimerHandle>();
  #abort: () => void = () => undefined;

  constructor(
    stateMachine: StateMachine,
    { arn, name, input }: { arn: string; name: string; input: string },
    services: ExecutionServices,
  ) {
    this.arn = arn;
    this.name = name;
    this.input = input;
    this.stateMachine = stateMachine;
    this.startDate = services.clock.now();
    this.#services = services;
    this.history = new ExecutionHistory(services.clock, () => this.#endByHistoryLimit());
    const { tokens, activity, region } = services;
    this.#tasks = new TaskRunner({ tokens, activity, region, history: this.history });
  }

  get redriveCount(): number {
    return this.#redrives.length;
  }

  get redriveDate(): number | undefined {
    return this.#redrives.at(-1)?.date;
  }

  get redriveStatusReason(): string | undefined {
    const { status, stopDate = 0 } = this;
    if (status === 'RUNNING' || status === 'SUCCEEDED') return `Execution is ${status} and cannot be redriven`;
    if (this.#services.clock.now() - stopDate > REDRIVABLE_PERIOD) return 'Execution redrivable period exceeded';
    return this.history.events.length >= MAX_EVENTS - 1 ? 'Execution history event limit exceeded' : undefined;
  }

  /** Starts the execution or, after a redrive, resumes it. Work of an earlier attempt that is still running has no effect. */
  start(): void {
    const attempt = this.redriveCount;
    const isStopped = () => this.status !== 'RUNNING' || this.redriveCount !== attempt;
    const scope: Scope = { timers: this.#timers, isStopped, progress: this.#progress };
    this.#publishStatus();
    this.#services.engine.scope.run(scope, () => void this.#run(scope));
  }

  /** RedriveExecution. Returns the date of the redrive. A repeated call with the same client token returns the earlier date. */
  redrive(token: string): number {
    const date = this.#services.clock.now();
    const isRepeated = (one: { token: string; date: number }) => one.token === token && date - one.date < TOKEN_PERIOD;
    const repeated = this.#redrives.slice(-KNOWN_TOKENS).find(isRepeated);
    if (repeated) return repeated.date;
    const reason = this.redriveStatusReason;
    if (reason !== undefined)
      throw new AwsError('ExecutionNotRedrivable', `Execution ${this.arn} invalid for redrive as: ${reason}`);
    this.#redrives.push({ token, date });
    this.status = 'RUNNING';
    this.stopDate = undefined;
    this.ending = {};
    this.start();
    // `start` adds events only asynchronously, so this one comes first. It may reach the history limit.
    this.history.add('ExecutionRedriven', { executionRedrivenEventDetails: { redriveCount: this.redriveCount } });
    this.history.resume();
    return date;
  }

  /** StopExecution. Running functions finish, but their results are ignored. */
  stop(error?: string, cause?: string): void {
    this.#end('ABORTED', { ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) });
  }

  /** Ends without history events or notifications, for tests that share a stack. */
  discard(): void {
    if (this.status !== 'RUNNING') return;
    this.status = 'ABORTED';
    this.#release();
  }

  /** A readable list of the current states. States that wait for a task token are marked. */
  describePosition(): string {
    const waiting = this.#tasks.waitingForToken();
    return [...new Set(currentStates(this.#progress))]
      .map((name) => `"${name}"${waiting.includes(name) ? ' (waits for a task token)' : ''}`)
      .join(', ');
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
    const recorded = this.#record(run.eventLogs as AsyncGenerator<EngineEvent>, scope);
    try {
      const output = await run.result;
      await recorded;
      if (!scope.isStopped()) this.#end('SUCCEEDED', { output: jsonText(output) });
    } catch (error) {
      await recorded;
      if (!scope.isStopped()) this.#endByError(error as Error);
    }
  }

  #context(): JsonObject {
    const { name: Name, arn: Id, stateMachine, startDate, redriveCount: RedriveCount, redriveDate } = this;
    const tasks = this.#tasks;
    return {
      Execution: {
        Id,
        Input: JSON.parse(this.input) as Json,
        Name,
        RoleArn: stateMachine.roleArn,
        StartTime: new Date(startDate).toISOString(),
        RedriveCount,
        ...(redriveDate !== undefined && { RedriveTime: new Date(redriveDate).toISOString() }),
      },
      StateMachine: { Id: stateMachine.arn, Name: stateMachine.name },
      Task: {
        get Token() {
          return tasks.mintToken();
        },
      },
    };
  }

  async #record(events: AsyncGenerator<EngineEvent>, scope: Scope): Promise<void> {
    const { query } = this.#services.engine;
    const translation: Translation = { ...this.stateMachine, history: this.history, query, failed: new Set() };
    for await (const event of events) {
      if (scope.isStopped()) return;
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
