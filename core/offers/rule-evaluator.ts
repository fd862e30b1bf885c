import { Worker } from 'node:worker_threads';
import { MODULE } from './rule-evaluator-module.ts';
import type { ThreadTask } from './rule-evaluator-thread.ts';
import {
  type ExplainedOutcome,
  NEEDED_TOO_MUCH_MEMORY,
  NEEDED_TOO_MUCH_TIME,
  RULE_MEGABYTES,
  RULE_SECONDS,
  type RuleTask,
  type ThreadMessage,
} from './rule-limits.ts';

/** Evaluates one rule after the other in a thread: see rule-evaluator-thread.ts. */
export class Evaluator {
  #thread: Worker | undefined;
  #mostSeconds = RULE_SECONDS;
  #timer: NodeJS.Timeout | undefined;
  #answer: ((outcome: ExplainedOutcome) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Never rejects: a failed rule is an outcome, too. */
  evaluate(task: RuleTask): Promise<ExplainedOutcome> {
    const outcome = this.#last.then(() => this.#ask(task));
    this.#last = outcome;
    return outcome;
  }

  async #ask({ rule, order, offers, mostSeconds = RULE_SECONDS }: RuleTask) {
    const input = textOf({ order, offers });
    if (input === undefined)
      return { reason: 'The rule could not be run: the order or its offers are nested too deep.' };
    this.#thread ??= this.#start();
    const thread = this.#thread;
    this.#mostSeconds = mostSeconds;
    // Not Promise.withResolvers: the command line runs on Node 20, too.
    const answered = new Promise<ExplainedOutcome>((resolve) => {
      this.#answer = resolve;
    });
    // Only a thread that evaluates keeps Node running, not an idle one.
    thread.ref();
    thread.postMessage({ rule, input } satisfies ThreadTask);
    const outcome = await answered;
    clearTimeout(this.#timer);
    thread.unref();
    return outcome;
  }

  /** The thread's own memory holds what goes in and out. The rule's memory is in the sandbox. */
  #start(): Worker {
    const thread = new Worker(MODULE, {
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
    thread.on('message', (message: ThreadMessage) => {
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

/** Undefined if it is nested too deep. */
function textOf(input: unknown): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}
