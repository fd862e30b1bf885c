import { choiceProblems } from '../order/choices.ts';
import type { Offer } from '../order/order-service-client.ts';
import { Evaluator } from './rule-evaluator.ts';
import type { RuleOutcome } from './rule-limits.ts';

export type { RuleOutcome } from './rule-limits.ts';

const evaluator = new Evaluator();

/**
 * Evaluates the partner's JSONata rule over `{ order, offers }`. Whatever it returns but choices that can all be confirmed
 * falls back to a human, and so does a rule that does not end or asks for too much memory; nothing else is ever confirmed in its place.
 */
export async function applyRule(rule: string, order: unknown, offers: Offer[]): Promise<RuleOutcome> {
  const outcome = await evaluator.evaluate({ rule, order, offers });
  if ('reason' in outcome) return outcome;
  if (outcome.choices.length === 0) return { reason: 'The rule chose no offer.' };
  const problems = choiceProblems(outcome.choices, offers);
  return problems.length > 0
    ? { reason: `The rule's choice can not be confirmed. ${problems.map(({ problem }) => problem).join(' ')}` }
    : outcome;
}
