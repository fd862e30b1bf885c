import { parentPort } from 'node:worker_threads';
import { likeIdentifier } from '../bounded.ts';
import { MOST_CHOICES } from '../package/decision-limits.ts';
import type { Choice } from '../package/kept-decision.ts';
import { NEEDED_TOO_MUCH_MEMORY, type RuleOutcome, type RuleTask, type ThreadMessage } from './rule-limits.ts';
import { type Failed, openSandbox, type Returned } from './rule-sandbox.ts';

/**
 * Makes this thread evaluate rules. rule-evaluator.ts sends it one task at a time, and ends it when a rule takes too long. `read` converts
 * the result of a rule to the message that leaves the thread.
 */
export function answerTasks<Outcome extends RuleOutcome>(read: (answer: Returned | Failed) => Outcome): void {
  const post = (message: ThreadMessage<Outcome>) => parentPort?.postMessage(message);
  parentPort?.on('message', async ({ rule, input }: RuleTask) => {
    const evaluate = await openSandbox();
    post('begun');
    post(read(evaluate(rule, input)));
  });
}

export function outcomeOf(answer: Returned | Failed): RuleOutcome {
  if (answer.kind === 'returned') return readChoices(answer.returned);
  if (answer.isOutOfMemory) return { reason: NEEDED_TOO_MUCH_MEMORY };
  const code = likeIdentifier(answer.code);
  return { reason: `The rule failed${code === undefined ? '' : ` (JSONata ${code})`}.` };
}

/** JSONata returns a list of one element as the element, and an empty list as undefined. */
function readChoices(result: unknown): RuleOutcome {
  const list: Partial<Choice>[] = result === undefined ? [] : Array.isArray(result) ? result : [result];
  if (list.length > MOST_CHOICES) return { reason: `The rule returned more than ${MOST_CHOICES} choices.` };
  const choices = list.map((choice) => ({ offerId: choice?.offerId, code: choice?.code }));
  return choices.every(isChoice) ? { choices } : { reason: 'The rule did not return a list of { offerId, code }.' };
}

const isChoice = (choice: { offerId: unknown; code: unknown }): choice is Choice =>
  typeof choice.offerId === 'string' && typeof choice.code === 'string';
