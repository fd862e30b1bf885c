import type { Problem } from '../../core/json/json-problems.ts';
import { choiceProblems } from '../../core/offers/choices.ts';
import { judge } from '../../core/offers/rule.ts';
import { Evaluator } from '../../core/offers/rule-evaluator.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import type { Choice } from '../../core/package/kept-decision.ts';
import { MODULE } from './rule-explainer-module.ts';
import { describe, type ExplainedOutcome, MOST_FAULTS, pathOf, type RuleFault } from './rule-explanation.ts';

/** What the function `choose-offer` would decide, with what the rule returned and where that is not what is asked. */
export async function explainRule(rule: string, order: unknown, offers: Offer[]): Promise<ExplainedOutcome> {
  const input = textOf({ order, offers });
  if (input === undefined) return { reason: 'The rule could not be run: the order or its offers are nested too deep.' };
  const evaluator = new Evaluator<ExplainedOutcome>(MODULE);
  const { explanation, ...outcome }: ExplainedOutcome = await evaluator.evaluate({ rule, input });
  const judged = judge(outcome, offers);
  if (!explanation) return judged;
  if (!('returned' in explanation && 'choices' in outcome)) return { ...judged, explanation };
  const { faults, isList } = explanation;
  const more = choiceProblems(outcome.choices, offers).map((problem) => faultOf(problem, outcome.choices, isList));
  return { ...judged, explanation: { ...explanation, faults: [...faults, ...more].slice(0, MOST_FAULTS) } };
}

/** A problem of a choice, with its place in what the rule returned. */
function faultOf({ path, problem, fix }: Problem, choices: Choice[], isList: boolean): RuleFault {
  const [, position = '0', member = ''] = /\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
  const choice: Partial<Record<string, string>> = { ...choices[Number(position)] };
  const where = `${pathOf(isList, Number(position))}.${member}`;
  return { path: where, found: describe(choice[member]), asked: `${problem} ${fix}` };
}

/** Undefined if it is nested too deep. Intake and answers of the service allow a hundred levels, but files here are unchecked. */
function textOf(input: unknown): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}
