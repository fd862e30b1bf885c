import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Json, JsonObject } from '../protocol/operation.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';

/** How far an execution has come, or an iteration of a Map or a branch of a Parallel. A redrive goes on from there. */
export interface Progress {
  at?: { name: string; input: Json; time: number };
  nested: Progress[];
  output?: { value: Json };
}

/** The execution, and the iteration of a Map or the branch of a Parallel, that the engine's code is running for. */
export interface Scope {
  timers: Set<TimerHandle>;
  /** The iteration of the outermost Map that this step belongs to. */
  iteration?: number;
  /** Whether code in this scope must not start anything new. */
  isStopped: () => boolean;
  progress: Progress;
  /** Only while the state starts at which a redrive goes on. `waited`: the milliseconds that it has waited before. */
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

/** Makes every run of the library note its progress, and go on from the progress that its scope has already. */
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

/** Whether a state is a Wait for seconds, which count from its entry also after a redrive. AWS does not document this. */
const lasts = (state: JsonObject = {}) => 'Seconds' in state || 'SecondsPath' in state;

/** Notes each state that is entered. The one at which a redrive goes on is not entered again, so no event tells of it. */
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
