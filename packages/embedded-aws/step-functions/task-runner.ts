import type { Json } from '../protocol/operation.ts';
import { type Activity, nextTurn } from '../time/activity.ts';
import { type ExecutionHistory, jsonText, withOutput } from './history.ts';
import type { Scope } from './progress.ts';
import { type Task, taskEvent } from './task.ts';
import { takeTimeout } from './task-timeout.ts';
import { type PendingTask, TaskError, type TaskTokens } from './task-tokens.ts';

/** The limit for the input or result of a state: 256 KiB. */
const LARGEST_PAYLOAD = 262_144;

interface Attempt {
  task: Task;
  iteration: number | undefined;
  isStopped: () => boolean;
  /** Whether a timeout or the end of the execution has ended the attempt. */
  isOver: boolean;
  pending?: PendingTask;
}

interface TaskRunnerSettings {
  tokens: TaskTokens;
  activity: Activity;
  history: ExecutionHistory;
  region: string;
}

export class TaskRunner {
  readonly #settings: TaskRunnerSettings;
  readonly #minted = new Set<string>();
  readonly #attempts = new Set<Attempt>();

  constructor(settings: TaskRunnerSettings) {
    this.#settings = settings;
  }

  /** The value of `$$.Task.Token`. It is new at each read. */
  mintToken(): string {
    const token = this.#settings.tokens.mint();
    this.#minted.add(token);
    return token;
  }

  waitingForToken(): string[] {
    return [...this.#attempts].filter(({ pending }) => pending).map(({ task }) => task.name);
  }

  /** Ends an attempt that exceeded its TimeoutSeconds. Its result is ignored. */
  endTimedOut(taskName: string, iteration: number | undefined): void {
    // Ends only the oldest attempt, because a retry may start before the engine's event is read.
    for (const attempt of this.#attempts) {
      if (attempt.task.name !== taskName || attempt.iteration !== iteration) continue;
      this.#endAttempt(attempt);
      return;
    }
  }

  endAll(): void {
    for (const attempt of this.#attempts) this.#endAttempt(attempt);
  }

  #endAttempt(attempt: Attempt): void {
    attempt.isOver = true;
    attempt.pending?.close();
    this.#attempts.delete(attempt);
  }

  /** Runs a Task. Resolves with its result, or never if its execution or iteration is stopped. */
  async run(task: Task, given: Json, scope: Scope): Promise<Json> {
    if (scope.isStopped()) return new Promise(() => undefined);
    const { parameters, timeout } = takeTimeout(task.state, given);
    checkSize(task, parameters);
    const end = this.#settings.activity.begin();
    const attempt: Attempt = { task, iteration: scope.iteration, isStopped: scope.isStopped, isOver: false };
    this.#attempts.add(attempt);
    try {
      // The engine's events arrive through promises, so in the next turn the history is complete up to this Task.
      await nextTurn();
      const { region } = this.#settings;
      this.#record(attempt, 'Scheduled', { region, parameters: jsonText(parameters), timeoutInSeconds: timeout });
      this.#record(attempt, 'Started');
      const output = task.waitsForToken
        ? await this.#callAndWait(attempt, parameters, end)
        : await this.#call(attempt, parameters, end);
      checkSize(task, output);
      this.#record(attempt, 'Succeeded', withOutput(jsonText(output)));
      return output;
    } finally {
      this.#attempts.delete(attempt);
      end();
    }
  }

  /** Performs the call. From then on, only the call itself counts as work in progress, because a test may pause it. */
  #call({ task: { integration } }: Attempt, parameters: Json, end: () => void): Promise<Json> {
    const called = integration(parameters);
    end();
    return called;
  }

  async #callAndWait(attempt: Attempt, parameters: Json, end: () => void): Promise<Json> {
    const text = JSON.stringify(parameters);
    const tokens = [...this.#minted].filter((token) => text.includes(token));
    for (const token of tokens) this.#minted.delete(token);
    const pending = this.#settings.tokens.expect(tokens);
    attempt.pending = pending;
    try {
      // The callback may come before the call returns. As on AWS, the call's result is then ignored.
      const submitted = this.#call(attempt, parameters, end).then((output) => {
        this.#record(attempt, 'Submitted', withOutput(jsonText(output)));
        return pending.promise;
      });
      return await Promise.race([pending.promise, submitted]);
    } finally {
      pending.close();
    }
  }

  #record(
    { isOver, isStopped, task, iteration }: Attempt,
    ...[outcome, more]: [Parameters<typeof taskEvent>[0], object?]
  ): void {
    if (!isOver && !isStopped()) this.#settings.history.add(...taskEvent(outcome, task, more), iteration);
  }
}

function checkSize({ state }: Task, payload: Json): void {
  if (Buffer.byteLength(JSON.stringify(payload)) <= LARGEST_PAYLOAD) return;
  const limit = 'exceeding the maximum number of bytes service limit.';
  throw new TaskError(
    'States.DataLimitExceeded',
    `The state/task '${String(state.Resource)}' returned a result with a size ${limit}`,
  );
}
