import type { Decided } from '../../core/order/choices.ts';
import { plain, time } from '../text.ts';

/** How the latest decision on the offers was made, in one sentence. Decisions of earlier releases have no time. */
export function decidedSentence({ how, at, decidedBy }: Decided): string {
  const when = at === undefined ? '' : ` at ${time(at)}`;
  if (how === 'rule') return `Decided${when} by the rule.`;
  return plain(`Decided${when} by a person${decidedBy === undefined ? ', who is not named' : `: ${decidedBy}`}.`);
}
