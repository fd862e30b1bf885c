import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { NEEDED_TOO_MUCH_MEMORY, type RuleOutcome, type RuleTask } from './rule-limits.ts';

/** The module of the process lies beside this one, in the sources as in a bundle. */
const MODULE = new URL(`./rule-evaluator-process${extname(import.meta.url)}`, import.meta.url);

/** Milliseconds that the process is kept for further rules. */
const KEPT = 10_000;

/** Evaluates one rule after the other in a process of their own: see rule-evaluator-process.ts. */
export class Evaluator {
  #child: ChildProcess | undefined;
  #answer: ((outcome: RuleOutcome) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** Never rejects: however a rule ends is an outcome. */
  evaluate(task: RuleTask): Promise<RuleOutcome> {
    const outcome = this.#last.then(() => this.#ask(task));
    this.#last = outcome;
    return outcome;
  }

  async #ask(task: RuleTask): Promise<RuleOutcome> {
    clearTimeout(this.#timer);
    this.#child ??= this.#start();
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<RuleOutcome>();
    this.#answer = resolve;
    // Whoever waits for an answer stays; a process that is only kept holds nobody.
    child.ref();
    child.channel?.ref();
    try {
      child.send(task, (error) => error && this.#end(child, 'The rule could not be run.'));
    } catch {
      this.#end(child, 'The rule could not be run: the order or its offers are nested too deep.');
    }
    const outcome = await promise;
    child.unref();
    child.channel?.unref();
    this.#timer = setTimeout(() => this.#end(child), KEPT).unref();
    return outcome;
  }

  #start(): ChildProcess {
    const { LD_LIBRARY_PATH } = process.env;
    const child = fork(MODULE, {
      // Lambda's Node finds its libraries by this variable. Nothing else is there for a rule: no credentials, no options.
      env: { ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }) },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (outcome) => this.#answer?.(outcome as RuleOutcome));
    child.on('error', () => this.#end(child, 'The rule could not be run.'));
    // V8 ends a process that asks for more memory than there is with this signal.
    child.on('exit', (code, signal) =>
      this.#end(
        child,
        signal === 'SIGABRT' ? NEEDED_TOO_MUCH_MEMORY : `The rule ended its process (${signal ?? code}).`,
      ),
    );
    return child;
  }

  /** The next rule gets another process. */
  #end(child: ChildProcess, reason?: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    child.kill('SIGKILL');
    if (reason !== undefined) this.#answer?.({ reason });
  }
}
