import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  NEEDED_TOO_MUCH_MEMORY,
  NEEDED_TOO_MUCH_TIME,
  RULE_MEGABYTES,
  RULE_SECONDS,
  type RuleOutcome,
  type RuleTask,
  type ThreadMessage,
} from './rule-limits.ts';

/** The module of the thread is beside this one, in the sources and in a bundle. */
const MODULE = new URL(`./rule-evaluator-thread${extname(import.meta.url)}`, import.meta.url);

/** Evaluates one rule after the other in a thread, whose module calls `answerTasks` (rule-answers.ts). */
export class Evaluator<Outcome extends RuleOutcome = RuleOutcome> {
  readonly #module: URL;
  #thread: Worker | undefined;
  #mostSeconds = RULE_SECONDS;
  #timer: NodeJS.Timeout | undefined;
  #answer: ((outcome: Outcome | { reason: string }) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(module = MODULE) {
    this.#module = module;
  }

  /** Never rejects: a failed rule is an outcome, too. */
  evaluate(task: RuleTask, mostSeconds = RULE_SECONDS): Promise<Outcome | { reason: string }> {
    const outcome = this.#last.then(() => this.#ask(task, mostSeconds));
    this.#last = outcome;
    return outcome;
  }

  async #ask(task: RuleTask, mostSeconds: number) {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    this.#mostSeconds = mostSeconds;
    // Not Promise.withResolvers: the command line runs on Node 20, too.
    const answered = new Promise<Outcome | { reason: string }>((resolve) => {
      this.#answer = resolve;
    });
    // Only a thread that evaluates keeps Node running, not an idle one.
    thread.ref();
    thread.postMessage(task);
    const outcome = await answered;
    clearTimeout(this.#timer);
    thread.unref();
    return outcome;
  }

  /** The thread's own memory holds what goes in and out. The rule's memory is in the sandbox. */
  #start(): Worker {
    const thread = new Worker(this.#module, {
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: RULE_MEGABYTES, maxYoungGenerationSizeMb: 16 },
    });
    const end = (reason: string) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      void thread.terminate();
      this.#answer?.({ reason });
    };
    thread.on('message', (message: ThreadMessage<Outcome>) => {
      // A late message of an ended thread does not answer the next rule.
      if (this.#thread !== thread) return;
      if (message !== 'begun') return this.#answer?.(message);
      this.#timer = setTimeout(() => end(NEEDED_TOO_MUCH_TIME), this.#mostSeconds * 1000);
    });
    thread.on('error', ({ code }: NodeJS.ErrnoException) =>
      end(code === 'ERR_WORKER_OUT_OF_MEMORY' ? NEEDED_TOO_MUCH_MEMORY : 'The rule failed.'),
    );
    return thread;
  }
}
