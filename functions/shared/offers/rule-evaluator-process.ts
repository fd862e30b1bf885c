/**
 * The process that evaluates rules. rule-evaluator.ts starts it and sends it one {@link RuleTask} at a time. A thread evaluates
 * the rule, and the main thread ends that thread when its time is up. It is a separate process because a rule that needs too
 * much memory at once ends the whole process.
 */
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { Choice } from '../order/choices.ts';
import { explain, explainFailure } from './rule-explanation.ts';
import {
  type ExplainedOutcome,
  MAX_RULE_CHOICES,
  NEEDED_TOO_MUCH_MEMORY,
  NEEDED_TOO_MUCH_TIME,
  RULE_MEGABYTES,
  RULE_SECONDS,
  type RuleOutcome,
  type RuleTask,
} from './rule-limits.ts';

/** A message from the thread: a rule begins, or has ended. */
type ThreadMessage = { mostSeconds: number } | ExplainedOutcome;

if (isMainThread) serve();
else parentPort?.on('message', (task: RuleTask) => void evaluate(task));

function serve(): void {
  let thread: Worker | undefined;
  process.on('message', (task: RuleTask) => {
    thread ??= startThread(() => {
      thread = undefined;
    });
    thread.postMessage(task);
  });
  process.on('disconnect', () => process.exit());
}

/** Starts a thread. It evaluates one rule after the other, until it must be ended because of a rule. */
function startThread(forget: () => void): Worker {
  const thread = new Worker(new URL(import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: RULE_MEGABYTES, maxYoungGenerationSizeMb: 16 },
  });
  let timer: NodeJS.Timeout | undefined;
  const answer = (outcome: ExplainedOutcome) => {
    clearTimeout(timer);
    process.send?.(outcome);
  };
  const end = (reason: string) => {
    forget();
    thread.removeAllListeners();
    void thread.terminate();
    answer({ reason });
  };
  thread.on('message', (message: ThreadMessage) => {
    if (!('mostSeconds' in message)) return answer(message);
    timer = setTimeout(() => end(NEEDED_TOO_MUCH_TIME), message.mostSeconds * 1000);
  });
  thread.on('error', ({ code }: NodeJS.ErrnoException) => {
    end(code === 'ERR_WORKER_OUT_OF_MEMORY' ? NEEDED_TOO_MUCH_MEMORY : 'The rule failed.');
  });
  return thread;
}

async function evaluate(task: RuleTask): Promise<void> {
  const post = (message: ThreadMessage) => parentPort?.postMessage(message);
  const { default: jsonata } = await import('jsonata');
  post({ mostSeconds: task.mostSeconds ?? RULE_SECONDS });
  try {
    const { rule, order, offers } = task;
    const result: unknown = await jsonata(rule).evaluate({ order, offers });
    post({ ...readChoices(result), ...(task.isExplained && { explanation: explain(result) }) });
  } catch (error) {
    const { code } = error as { code?: unknown };
    const reason = `The rule failed${typeof code === 'string' ? ` (JSONata ${code})` : ''}.`;
    post({ reason, ...(task.isExplained && { explanation: explainFailure(error) }) });
  }
}

/** JSONata returns a list of one element as the element, and an empty list as undefined. */
function readChoices(result: unknown): RuleOutcome {
  const list: Partial<Choice>[] = result === undefined ? [] : Array.isArray(result) ? result : [result];
  if (list.length > MAX_RULE_CHOICES) return { reason: `The rule returned more than ${MAX_RULE_CHOICES} choices.` };
  const choices = list.map((choice) => ({ offerId: choice?.offerId, code: choice?.code }));
  return choices.every(isChoice) ? { choices } : { reason: 'The rule did not return a list of { offerId, code }.' };
}

function isChoice(choice: { offerId: unknown; code: unknown }): choice is Choice {
  return typeof choice.offerId === 'string' && typeof choice.code === 'string';
}
