import { judge } from '../core/offers/rule.ts';
import { Evaluator } from '../core/offers/rule-evaluator.ts';
import type { Offer } from '../core/order-service/order-service-client.ts';
import { MODULE } from './rule/explainer-module.ts';
import type { ExplainedOutcome, Explanation } from './rule/explanation.ts';
import { readLocalFile, readLocalJson } from './shared/local-file.ts';
import { isObject } from './shared/offer-view.ts';
import { type Answer, columns, plain, plainIndented, Refusal } from './shared/text.ts';

/** Exit code of a rule that leaves the choice to a human. */
export const HUMAN_MUST_CHOOSE = 3;

/**
 * `rule --test`: what the function `choose-offer` would decide with this rule, and why. It runs on this machine alone.
 * @param rule the path of the JSONata rule; `offers` that of a list of offers, `order` that of the package's `order.json`.
 */
export async function testRule(rule: string, offers: string, order: string | undefined): Promise<Answer> {
  const expression = new TextDecoder().decode(await readLocalFile(rule));
  const { value: list } = await readLocalJson(offers);
  if (!Array.isArray(list))
    throw new Refusal(`${offers} is not a list of offers in the format of offers.json in staging.`);
  const input = JSON.stringify({ order: order && (await orderData(order)), offers: list });
  const evaluator = new Evaluator<ExplainedOutcome>(MODULE);
  const { explanation, ...evaluated }: ExplainedOutcome = await evaluator.evaluate({ rule: expression, input });
  const outcome = judge(evaluated, list as Offer[]);
  const lines = explanation ? explanationLines(explanation) : [];
  const json = { ...outcome, ...explanation };
  if ('reason' in outcome) {
    return { lines: [`A human must choose. ${outcome.reason}`, ...lines], json, exitCode: HUMAN_MUST_CHOOSE };
  }
  const rows = outcome.choices.map(({ offerId, code }) => [offerId, code]);
  return { lines: [...columns([['OFFER', 'CODE'], ...rows]), ...lines], json };
}

function explanationLines(explanation: Explanation): string[] {
  if ('error' in explanation) return [`JSONata says: ${plain(explanation.error)}`];
  const returned = explanation.returned.split('\n').map((line) => `  ${plainIndented(line)}`);
  return ['', 'The rule returned:', ...returned];
}

async function orderData(path: string): Promise<unknown> {
  const { value } = await readLocalJson(path);
  if (isObject(value) && value.order !== undefined) return value.order;
  throw new Refusal(`${path} has no property "order": give the order.json of a package.`);
}
