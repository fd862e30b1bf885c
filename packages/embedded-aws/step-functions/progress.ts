import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Json, JsonObject } from '../protocol/operation.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';

/** The progress of an execution or Map iteration. A redrive resumes from here. */
export interface Progress {
  at?: { name: string; input: Json; time: number };
  nested: Progress[];
  output?: { value: Json };
}

/** The names of the states that were entered and are not over, also in iterations. */
export function currentStates({ at, nested, output }: Progress): string[] {
  return at && !output ? [at.name, ...nested.flatMap(currentStates)] : [];
}

/** The execution or Map iteration for which the engine's code is running. */
export interface Scope {
  timers: Set<TimerHandle>;
  /** The index of the iteration in the outermost Map. */
  iteration?: number;
  /** Whether code in this scope must not start anything new. */
  isStopped: () => boolean;
  progress: Progress;
  /** Set only while a redrive starts its first state. `waited`: how long the state waited before. Milliseconds. */
  resuming?: { waited: number };
}

type Dispatch<Parameters extends Json[]> = (...parameters: Parameters) => void;

interface EngineMachine {
  definition: { StartAt: string; States: Record<string, JsonObject> };
  execute(input: Json, options: RunOptions, cleanUp: () => void): Promise<Json>;
}

interface RunOptions {
  abortSignal: AbortSignal;
  eventLogger: {
    dispatchExecutionStartedEvent: Dispatch<[input: Json]>;
    dispatchStateEnteredEvent: Dispatch<[name: string, type: string, input: Json]>;
  };
}

/** Patches the library so each run records its progress, and resumes from the progress in its scope. */
export function resumeRuns(prototype: object, scope: AsyncLocalStorage<Scope>, clock: Clock): void {
  const machines = prototype as EngineMachine;
  const { execute } = machines;
  machines.execute = function (given, options, cleanUp) {
    const run = scope.getStore();
    if (!run) throw new Error('A state machine runs outside of an execution.');
    const { progress } = run;
    const { at } = progress;
    noteEntries(run, options, clock);
    if (at) run.resuming = { waited: lasts(this.definition.States[at.name]) ? clock.now() - at.time : 0 };
    const definition = at ? { ...this.definition, StartAt: at.name } : this.definition;
    const machine = Object.create(this, { definition: { value: definition } }) as EngineMachine;
    // The library starts the first state before it returns the promise.
    const output = execute.call(machine, at ? at.input : given, options, cleanUp);
    delete run.resuming;
    const keep = (value: Json) => {
      if (!options.abortSignal.aborted) progress.output = { value };
    };
    output.then(keep, () => undefined);
    return output;
  };
}

/** Whether a state waits for a number of seconds. After a redrive they count from the first entry; AWS does not document this. */
const lasts = (state: JsonObject = {}) => 'Seconds' in state || 'SecondsPath' in state;

/** Records each state that is entered. The state that a redrive resumes gets no second entry event. */
function noteEntries(run: Scope, { eventLogger }: RunOptions, clock: Clock): void {
  const { dispatchExecutionStartedEvent: started, dispatchStateEnteredEvent: entered } = eventLogger;
  eventLogger.dispatchExecutionStartedEvent = (input) => {
    if (!run.resuming) started.call(eventLogger, input);
  };
  eventLogger.dispatchStateEnteredEvent = (name, type, input) => {
    if (run.resuming) return;
    Object.assign(run.progress, { at: { name, input, time: clock.now() }, nested: [] });
    entered.call(eventLogger, name, type, input);
  };
}
