import { judge } from '../core/offers/rule.ts';
import { ruleEvaluator } from '../core/offers/rule-evaluator.ts';
import type { Offer } from '../core/order-service/order-service-client.ts';
import type { ExplainedOutcome, Explanation } from './rule/explanation.ts';
import { type AddCommand, withPlace } from './shared/arguments.ts';
import { readLocalFile, readLocalJson } from './shared/local-file.ts';
import { isObject } from './shared/offer-view.ts';
import type { PlaceOptions } from './shared/place.ts';
import { isOneFile } from './shared/project.ts';
import { type CommandResult, columns, plain, plainIndented, Refusal } from './shared/text.ts';

export const addRule: AddCommand = (program, perform) =>
  program
    .command('rule')
    .description('test a rule on a list of offers; exit code 3 when a human must choose')
    .requiredOption('--test <file>', 'the rule, a JSONata expression')
    .argument('<offers.json>', 'a list of offers, in the format of offers.json in staging')
    .option('--order <order.json>', 'the package whose order the rule can read')
    .action(withPlace(perform, testRule, 'here'));

const HUMAN_MUST_CHOOSE = 3;

/** In the one file, that file itself. */
const EXPLAINER = new URL(isOneFile ? '' : './rule/explainer-thread.ts', import.meta.url);

/** What the function `choose-offer` would decide with this rule, and why. It runs on this machine alone. */
async function testRule(
  _place: PlaceOptions,
  offers: string,
  { test, order }: { test: string; order?: string },
): Promise<CommandResult> {
  const expression = new TextDecoder().decode(await readLocalFile(test));
  const { value: list } = await readLocalJson(offers);
  if (!Array.isArray(list))
    throw new Refusal(`${offers} is not a list of offers in the format of offers.json in staging.`);
  const input = JSON.stringify({ order: order && (await orderData(order)), offers: list });
  const { explanation, ...evaluated }: ExplainedOutcome = await ruleEvaluator<ExplainedOutcome>(EXPLAINER)({
    rule: expression,
    input,
  });
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
