import { runInNewContext } from 'node:vm';
import jsonata from 'jsonata';
import { type Choice, choiceProblems } from './choices.ts';
import type { Offer } from './order-service-client.ts';

/** Milliseconds that a rule may take. */
const RULE_TIMEOUT = 2_000;

/**
 * JSONata looks at its clock between steps, and one regular expression is one step, which can take for ever. `vm` can
 * interrupt it.
 */
class TimedRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    const exec = () => super.exec(text);
    return runInNewContext('exec()', { exec }, { timeout: RULE_TIMEOUT }) as RegExpExecArray | null;
  }
}

/** What came of a rule: the choices to confirm, or why a human must choose. The reason holds no data of the order. */
export type RuleOutcome = { choices: Choice[] } | { reason: string };

/**
 * Evaluates the partner's JSONata rule over `{ order, offers }`. Whatever it returns but choices that can all be confirmed
 * falls back to a human; nothing else is ever confirmed in its place.
 */
export async function applyRule(rule: string, order: unknown, offers: Offer[]): Promise<RuleOutcome> {
  let result: unknown;
  try {
    const expression = jsonata(rule, { timeout: RULE_TIMEOUT, RegexEngine: TimedRegExp as RegExpConstructor });
    result = await expression.evaluate({ order, offers });
  } catch (error) {
    const code = (error as { code?: string }).code;
    return { reason: `The rule failed${code ? ` (JSONata ${code})` : ''}.` };
  }
  const choices = readChoices(result);
  if (!choices) return { reason: 'The rule did not return a list of { offerId, code }.' };
  if (choices.length === 0) return { reason: 'The rule chose no offer.' };
  const problems = choiceProblems(choices, offers);
  return problems.length > 0
    ? { reason: `The rule's choice can not be confirmed. ${problems.map(({ problem }) => problem).join(' ')}` }
    : { choices };
}

/** JSONata gives a list of one as the one, and a list of none as undefined. */
function readChoices(result: unknown): Choice[] | undefined {
  const list = result === undefined ? [] : Array.isArray(result) ? result : [result];
  const choices = list.map((choice) => ({ offerId: choice?.offerId, code: choice?.code }));
  const complete = choices.every(({ offerId, code }) => typeof offerId === 'string' && typeof code === 'string');
  return complete ? choices : undefined;
}
