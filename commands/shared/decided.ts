import type { Written } from '../../core/package/decision-schema.ts';
import type { Choice, Decided } from '../../core/package/kept-decision.ts';
import { plain, time } from './text.ts';

export function offersText(choices: readonly Choice[], none = 'no offer'): string {
  return choices.map(({ offerId, code }) => `${offerId} (${code})`).join(', ') || none;
}

/** How the latest decision was made, and its details, in one line. */
export function decidedSentence({ how, at, written = {} }: Decided): string {
  const by = how === 'rule' ? 'the rule' : 'a person';
  return [`Decided at ${time(at)} by ${by}.`, ...writtenLines(written)].join(' ');
}

export const writtenLines = ({ decidedBy }: Written): string[] =>
  decidedBy === undefined ? [] : [plain(`Decided by: ${decidedBy}.`)];
