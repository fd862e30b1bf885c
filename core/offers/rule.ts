import type { Problem } from '../json/json-problems.ts';
import type { Choice } from '../order/kept-decision.ts';
import type { Offer } from '../order-service/order-service-client.ts';
import { choiceProblems } from './choices.ts';
import { Evaluator } from './rule-evaluator.ts';
import {
  describe,
  type ExplainedOutcome,
  MOST_FAULTS,
  pathOf,
  type RuleFault,
  type RuleOutcome,
} from './rule-limits.ts';

export type { RuleOutcome } from './rule-limits.ts';

const evaluator = new Evaluator();

/**
 * Evaluates the partner's JSONata rule over `{ order, offers }`. A human must choose if the rule fails, takes too long, needs
 * too much memory, or returns a choice that cannot be confirmed. Then nothing is confirmed.
 */
export async function applyRule(rule: string, order: unknown, offers: Offer[]): Promise<RuleOutcome> {
  const { explanation: _explanation, ...outcome } = await evaluator.evaluate({ rule, order, offers });
  return judge(outcome, offers);
}

/** The same outcome, with what the rule returned and where that is not what is asked. For the command line. */
export async function explainRule(rule: string, order: unknown, offers: Offer[]): Promise<ExplainedOutcome> {
  const { explanation, ...outcome } = await evaluator.evaluate({ rule, order, offers });
  const judged = judge(outcome, offers);
  if (explanation === undefined) return judged;
  const problems = 'choices' in outcome ? choiceProblems(outcome.choices, offers) : [];
  if (!('returned' in explanation) || !('choices' in outcome)) return { ...judged, explanation };
  const { faults, isList } = explanation;
  const more = problems.map((problem) => faultOf(problem, outcome.choices, isList));
  return { ...judged, explanation: { ...explanation, faults: [...faults, ...more].slice(0, MOST_FAULTS) } };
}

function judge(outcome: RuleOutcome, offers: Offer[]): RuleOutcome {
  if ('reason' in outcome) return outcome;
  if (outcome.choices.length === 0) return { reason: 'The rule chose no offer.' };
  const problems = choiceProblems(outcome.choices, offers);
  return problems.length > 0
    ? { reason: `The rule's choice cannot be confirmed. ${problems.map(({ problem }) => problem).join(' ')}` }
    : outcome;
}

/** A problem of a choice, with its place in what the rule returned. */
function faultOf({ path, problem, fix }: Problem, choices: Choice[], isList: boolean): RuleFault {
  const [, position = '0', member = ''] = /\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
  const choice: Partial<Record<string, string>> = { ...choices[Number(position)] };
  const where = `${pathOf(isList, Number(position))}.${member}`;
  return { path: where, found: describe(choice[member]), asked: `${problem} ${fix}` };
}
