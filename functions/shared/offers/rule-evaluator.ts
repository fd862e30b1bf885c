import { type ChildProcess, fork } from 'node:child_process';
import { MODULE } from './rule-evaluator-module.ts';
import { type ExplainedOutcome, NEEDED_TOO_MUCH_MEMORY, type RuleTask } from './rule-limits.ts';

/** Milliseconds that an idle process is kept for the next rule. */
const IDLE_TIME = 10_000;

/** Evaluates one rule after the other in a separate process: see rule-evaluator-process.ts. */
export class Evaluator {
  #child: ChildProcess | undefined;
  #answer: ((outcome: ExplainedOutcome) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** Never rejects: a failed rule is an outcome, too. */
  evaluate(task: RuleTask): Promise<ExplainedOutcome> {
    const outcome = this.#last.then(() => this.#ask(task));
    this.#last = outcome;
    return outcome;
  }

  async #ask(task: RuleTask): Promise<ExplainedOutcome> {
    clearTimeout(this.#timer);
    this.#child ??= this.#start();
    const child = this.#child;
    // Not Promise.withResolvers: the command line runs on Node 20, too.
    const answered = new Promise<ExplainedOutcome>((resolve) => {
      this.#answer = resolve;
    });
    // Only a process that evaluates keeps Node running, not an idle one.
    child.ref();
    child.channel?.ref();
    try {
      child.send(task, (error) => error && this.#end(child, 'The rule could not be run.'));
    } catch {
      this.#end(child, 'The rule could not be run: the order or its offers are nested too deep.');
    }
    const outcome = await answered;
    child.unref();
    child.channel?.unref();
    this.#timer = setTimeout(() => this.#end(child), IDLE_TIME).unref();
    return outcome;
  }

  #start(): ChildProcess {
    const { LD_LIBRARY_PATH } = process.env;
    const child = fork(MODULE, {
      // Lambda's Node finds its libraries with this variable. A rule gets no other variable, so no credentials and no options.
      env: { ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }) },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (outcome) => this.#answer?.(outcome as ExplainedOutcome));
    child.on('error', () => this.#end(child, 'The rule could not be run.'));
    // V8 sends SIGABRT to its process when memory is exhausted.
    child.on('exit', (code, signal) =>
      this.#end(
        child,
        signal === 'SIGABRT' ? NEEDED_TOO_MUCH_MEMORY : `The rule ended its process (${signal ?? code}).`,
      ),
    );
    return child;
  }

  /** Ends the process. The next rule gets another one. */
  #end(child: ChildProcess, reason?: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    child.kill('SIGKILL');
    if (reason !== undefined) this.#answer?.({ reason });
  }
}
