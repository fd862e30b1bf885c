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

/** The thread's module is in the same folder as this one, in the sources and in a bundle. */
const MODULE = new URL(`./rule-evaluator-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Evaluates one rule after the other in a thread, whose module calls `answerTasks` (rule-answers.ts). Never rejects: a failed rule is an
 * outcome, too.
 */
export function ruleEvaluator<Outcome extends RuleOutcome = RuleOutcome>(module = MODULE) {
  let running: Worker | undefined;
  let mostSeconds = RULE_SECONDS;
  let timer: NodeJS.Timeout | undefined;
  let answer: ((outcome: Outcome | { reason: string }) => void) | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** The thread's own memory holds input and output. The rule's memory is in the sandbox. */
  const start = (): Worker => {
    const thread = new Worker(module, {
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: RULE_MEGABYTES, maxYoungGenerationSizeMb: 16 },
    });
    const end = (reason: string) => {
      if (running !== thread) return;
      running = undefined;
      void thread.terminate();
      answer?.({ reason });
    };
    thread.on('message', (message: ThreadMessage<Outcome>) => {
      // Ignores a late message of an ended thread, which is not about the next rule.
      if (running !== thread) return;
      if (message !== 'begun') return answer?.(message);
      timer = setTimeout(() => end(NEEDED_TOO_MUCH_TIME), mostSeconds * 1000);
    });
    thread.on('error', ({ code }: NodeJS.ErrnoException) =>
      end(code === 'ERR_WORKER_OUT_OF_MEMORY' ? NEEDED_TOO_MUCH_MEMORY : 'The rule failed.'),
    );
    return thread;
  };
  const ask = async (task: RuleTask, seconds: number) => {
    running ??= start();
    const thread = running;
    mostSeconds = seconds;
    // Not Promise.withResolvers: the command line runs on Node 20, too.
    const answered = new Promise<Outcome | { reason: string }>((resolve) => {
      answer = resolve;
    });
    // Only a thread that evaluates keeps the process alive, not an idle one.
    thread.ref();
    thread.postMessage(task);
    const outcome = await answered;
    clearTimeout(timer);
    thread.unref();
    return outcome;
  };
  return (task: RuleTask, seconds = RULE_SECONDS): Promise<Outcome | { reason: string }> => {
    const outcome = last.then(() => ask(task, seconds));
    last = outcome;
    return outcome;
  };
}
