import type { Problem } from '../../core/json/json-problems.ts';
import { choiceProblems } from '../../core/offers/choices.ts';
import { judge } from '../../core/offers/rule.ts';
import { Evaluator } from '../../core/offers/rule-evaluator.ts';
import type { RuleTask } from '../../core/offers/rule-limits.ts';
import type { Choice } from '../../core/order/kept-decision.ts';
import { MODULE } from './rule-explainer-module.ts';
import { describe, type ExplainedOutcome, MOST_FAULTS, pathOf, type RuleFault } from './rule-explanation.ts';

/** What the function `choose-offer` would decide, with what the rule returned and where that is not what is asked. */
export async function explainRule(task: RuleTask): Promise<ExplainedOutcome> {
  const { explanation, ...outcome }: ExplainedOutcome = await new Evaluator<ExplainedOutcome>(MODULE).evaluate(task);
  const judged = judge(outcome, task.offers);
  if (!explanation) return judged;
  if (!('returned' in explanation && 'choices' in outcome)) return { ...judged, explanation };
  const { faults, isList } = explanation;
  const more = choiceProblems(outcome.choices, task.offers).map((problem) => faultOf(problem, outcome.choices, isList));
  return { ...judged, explanation: { ...explanation, faults: [...faults, ...more].slice(0, MOST_FAULTS) } };
}

/** A problem of a choice, with its place in what the rule returned. */
function faultOf({ path, problem, fix }: Problem, choices: Choice[], isList: boolean): RuleFault {
  const [, position = '0', member = ''] = /\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
  const choice: Partial<Record<string, string>> = { ...choices[Number(position)] };
  const where = `${pathOf(isList, Number(position))}.${member}`;
  return { path: where, found: describe(choice[member]), asked: `${problem} ${fix}` };
}
