import type { Problem } from '../../core/json/json-problems.ts';
import { choiceProblems } from '../../core/offers/choices.ts';
import { judge } from '../../core/offers/rule.ts';
import { Evaluator } from '../../core/offers/rule-evaluator.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import type { Choice } from '../../core/package/kept-decision.ts';
import { readLocalFile, readLocalJson } from '../local-file.ts';
import { type Answer, columns, plain, plainIndented, Refusal } from '../text.ts';
import { isObject } from './offer-view.ts';
import { MODULE } from './rule-explainer-module.ts';
import {
  describe,
  type ExplainedOutcome,
  type Explanation,
  MOST_FAULTS,
  pathOf,
  type RuleFault,
} from './rule-explanation.ts';

/** Exit code of a rule that leaves the choice to a human. */
export const HUMAN_MUST_CHOOSE = 3;

/** Paths of the JSONata rule, a list of offers in the format of `offers.json` in staging, and the package's `order.json`. */
export interface RuleFiles {
  rule: string;
  offers: string;
  order: string | undefined;
}

/** `rule --test`: what the function `choose-offer` would decide with this rule, and why. It runs on this machine alone. */
export async function testRule({ rule, offers, order }: RuleFiles): Promise<Answer> {
  const expression = new TextDecoder().decode(await readLocalFile(rule));
  const { value: list } = await readLocalJson(offers);
  if (!Array.isArray(list))
    throw new Refusal(`${offers} is not a list of offers in the format of offers.json in staging.`);
  const { explanation, ...outcome } = await explainRule(expression, order && (await orderData(order)), list as Offer[]);
  const lines = explanation ? explanationLines(explanation) : [];
  const json = { ...outcome, ...explanation };
  if ('reason' in outcome) {
    return { lines: [`A human must choose. ${outcome.reason}`, ...lines], json, exitCode: HUMAN_MUST_CHOOSE };
  }
  const rows = outcome.choices.map(({ offerId, code }) => [offerId, code]);
  return { lines: [...columns([['OFFER', 'CODE'], ...rows]), ...lines], json };
}

/** What the rule returned, and what is wrong with it. */
function explanationLines(explanation: Explanation): string[] {
  if ('error' in explanation) return [`JSONata says: ${plain(explanation.error)}`];
  const { returned, faults } = explanation;
  return [
    '',
    'The rule returned:',
    ...returned.split('\n').map((line) => `  ${plainIndented(line)}`),
    ...(faults.length > 0 ? ['', 'Not what is asked:'] : []),
    ...faults.map(({ path, found, asked }) => `  ${plain(`${path}: found ${found}. ${asked}`)}`),
  ];
}

async function orderData(path: string): Promise<unknown> {
  const { value } = await readLocalJson(path);
  if (isObject(value) && value.order !== undefined) return value.order;
  throw new Refusal(`${path} has no property "order": give the order.json of a package.`);
}

/** What the function `choose-offer` would decide, with what the rule returned and where that is not what is asked. */
async function explainRule(rule: string, order: unknown, offers: Offer[]): Promise<ExplainedOutcome> {
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
