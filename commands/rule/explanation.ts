import { LONGEST_RULE_TEXT, type RuleOutcome } from '../../core/offers/rule-limits.ts';
import type { Failed, Returned } from '../../core/offers/rule-sandbox.ts';

/** An outcome with its explanation. A rule that was ended has none. */
export type ExplainedOutcome = RuleOutcome & { explanation?: Explanation };

/** A rule's result as JSON, or JSONata's error. Long texts are truncated. May contain data of the order. */
export type Explanation = { returned: string } | { error: string };

export function explain(answer: Returned | Failed): Explanation {
  if (answer.kind === 'returned') {
    return { returned: cut(JSON.stringify(answer.returned, undefined, 2) ?? 'nothing', LONGEST_RULE_TEXT) };
  }
  const { message, position } = answer;
  return { error: `${message}${position === undefined ? '' : ` (at character ${position} of the rule)`}` };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
