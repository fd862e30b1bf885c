import type { Offer } from '../order-service/order-service-client.ts';
import { choiceProblems } from './choices.ts';
import { ruleEvaluator } from './rule-evaluator.ts';
import type { RuleOutcome } from './rule-limits.ts';

const evaluate = ruleEvaluator();

/**
 * Evaluates the partner's JSONata rule over `{ order, offers }`. A human must choose if the rule fails, takes too long, needs
 * too much memory, or returns a choice that cannot be confirmed. Then nothing is confirmed.
 */
export const applyRule = async (rule: string, order: unknown, offers: Offer[]): Promise<RuleOutcome> =>
  judge(await evaluate({ rule, input: JSON.stringify({ order, offers }) }), offers);

/** A human must choose if a choice cannot be confirmed. */
export function judge(outcome: RuleOutcome, offers: Offer[]): RuleOutcome {
  if ('reason' in outcome) return outcome;
  if (outcome.choices.length === 0) return { reason: 'The rule chose no offer.' };
  const problems = choiceProblems(outcome.choices, offers);
  return problems.length > 0
    ? { reason: `The rule's choice cannot be confirmed. ${problems.map(({ problem }) => problem).join(' ')}` }
    : outcome;
}
