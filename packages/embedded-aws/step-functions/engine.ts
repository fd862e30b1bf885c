import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { StateMachine } from 'aws-local-stepfunctions';
import type { Json } from '../protocol/operation.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';
import { resumeRuns, type Scope } from './progress.ts';

export type Engine = ReturnType<typeof loadEngine>;

/** The value for a Task without TimeoutSeconds. No timer is set for it. */
export const NO_TIMEOUT_SECONDS = 99_999_999;

/**
 * Loads `aws-local-stepfunctions` with the timers and dates of a clock. The library has no option for them, so its CommonJS build is
 * compiled with these names as parameters. Patching globals would affect all other code. Needed until a release accepts timers:
 * 3.0.0 is the newest, and there is no issue about it.
 */
export function loadEngine(clock: Clock) {
  const path = createRequire(import.meta.url).resolve('aws-local-stepfunctions');
  const libraryRequire = createRequire(path);
  const scope = new AsyncLocalStorage<Scope>();
  const requireWithLimit = (name: string): unknown =>
    name === 'p-limit' ? stoppingLimit(defaultExport(libraryRequire(name)), scope) : libraryRequire(name);
  const module: { exports: { StateMachine?: typeof StateMachine } } = { exports: {} };
  const parameters = {
    exports: module.exports,
    require: requireWithLimit,
    module,
    ...engineTimers(clock, scope),
    Date: dateOf(clock),
  };
  const load = compileFunction(likeStepFunctions(path), Object.keys(parameters), { filename: path });
  load(...Object.values(parameters));
  if (!module.exports.StateMachine) throw new Error('aws-local-stepfunctions exports no StateMachine.');
  resumeRuns(module.exports.StateMachine.prototype, scope, clock);
  const { JSONPath } = libraryRequire('jsonpath-plus') as { JSONPath: (options: object) => Json | undefined };
  /** Returns the value at a JSONPath, or undefined. */
  const query = (path: string, json: Json): Json | undefined => JSONPath({ path, json, wrap: false });
  return { StateMachine: module.exports.StateMachine, scope, query };
}

/**
 * Fixes two differences from Step Functions in the library's code. The cause of a timeout is its name. In a Map iteration or after a
 * redrive, `$$.Execution.Input` and `StartTime` are not those of the execution.
 */
function likeStepFunctions(path: string): string {
  const code = readFileSync(path, 'utf8').replace('super("States.Timeout");', 'super("");');
  return code.replace(/Input: input,\s+StartTime: .*\n/, '');
}

function engineTimers(clock: Clock, scope: AsyncLocalStorage<Scope>) {
  return {
    setTimeout: (callback: () => void, milliseconds: number): TimerHandle => {
      if (milliseconds >= NO_TIMEOUT_SECONDS * 1000) return {};
      const { timers, resuming } = scope.getStore() ?? {};
      const end = () => {
        timers?.delete(handle);
        callback();
      };
      const handle = clock.setTimeout(end, milliseconds - (resuming?.waited ?? 0));
      timers?.add(handle);
      return handle;
    },
    clearTimeout: (handle: TimerHandle | undefined): void => {
      if (!handle) return;
      scope.getStore()?.timers.delete(handle);
      clock.clearTimeout(handle);
    },
  };
}

function dateOf(clock: Clock): DateConstructor {
  return new Proxy(Date, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [clock.now()] : given, newTarget),
    get: (target, name) => (name === 'now' ? () => clock.now() : Reflect.get(target, name)),
  });
}

type Limit = (work: () => Promise<unknown>) => Promise<unknown>;
type CreateLimit = (concurrency: number) => Limit;

function defaultExport(loaded: unknown): CreateLimit {
  return ((loaded as { default?: unknown }).default ?? loaded) as CreateLimit;
}

/**
 * Replaces p-limit, with which the library runs the iterations of a Map. When one fails, Step Functions starts no others, but the library
 * does. Here, after a failure, no other iteration starts, and running ones are marked as stopped, because the library would retry them without
 * delay. After a redrive, completed iterations do not run again.
 */
function stoppingLimit(createLimit: CreateLimit, scope: AsyncLocalStorage<Scope>): CreateLimit {
  return (concurrency) => {
    const limit = createLimit(concurrency);
    const outer = scope.getStore();
    const nested = outer?.resuming ? outer.progress.nested : [];
    if (outer && !outer.isStopped()) outer.progress.nested = nested;
    let hasFailed = false;
    let count = 0;
    return (work) => {
      const index = count++;
      const progress = nested[index] ?? { nested: [] };
      nested[index] = progress;
      if (progress.output) return Promise.resolve(progress.output.value);
      const inner: Scope = {
        timers: outer?.timers ?? new Set(),
        iteration: outer?.iteration ?? index,
        isStopped: () => hasFailed || (outer?.isStopped() ?? false),
        progress,
      };
      return limit(() => {
        if (hasFailed) return new Promise(() => undefined);
        return scope.run(inner, work).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      });
    };
  };
}
