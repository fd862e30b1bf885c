import type { Offer } from '../../core/order-service/order-service-client.ts';
import { readLocalFile, readLocalJson } from '../local-file.ts';
import { type Answer, columns, plain, plainIndented, Refusal } from '../text.ts';
import { explainRule } from './explain-rule.ts';
import { isObject } from './offer-view.ts';
import type { Explanation } from './rule-explanation.ts';

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
