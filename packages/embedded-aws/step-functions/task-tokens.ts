import { randomBytes } from 'node:crypto';
import { AwsError, type Json } from '../protocol/operation.ts';

/** Fails a Task. `name` is the Error that Retry and Catch match, `message` is the Cause. */
export class TaskError extends Error {
  constructor(error: string, cause: string) {
    super(cause);
    this.name = error;
  }
}

interface Waiting extends PromiseWithResolvers<Json> {
  tokens: readonly string[];
}

/** A Task that waits for its token. `close` invalidates the token after the Task has ended in another way. */
export interface PendingTask {
  promise: Promise<Json>;
  close: () => void;
}

/** The task tokens of all executions. Reading `$$.Task.Token` creates a token, which is valid while the state waits. */
export class TaskTokens {
  readonly #waiting = new Map<string, Waiting>();
  readonly #closed = new Set<string>();

  mint(): string {
    return randomBytes(96).toString('base64');
  }

  expect(tokens: readonly string[]): PendingTask {
    const waiting: Waiting = { ...Promise.withResolvers<Json>(), tokens };
    for (const token of tokens) this.#waiting.set(token, waiting);
    return { promise: waiting.promise, close: () => this.#close(waiting) };
  }

  succeed(token: string, output: Json): void {
    this.#take(token).resolve(output);
  }

  fail(token: string, error: string, cause: string): void {
    this.#take(token).reject(new TaskError(error, cause));
  }

  #take(token: string): Waiting {
    const waiting = this.#waiting.get(token);
    if (waiting) {
      this.#close(waiting);
      return waiting;
    }
    if (!this.#closed.has(token)) throw new AwsError('InvalidToken', "Invalid Token: 'Invalid token'");
    throw new AwsError('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
  }

  #close(waiting: Waiting): void {
    for (const token of waiting.tokens) {
      this.#waiting.delete(token);
      this.#closed.add(token);
    }
  }
}
