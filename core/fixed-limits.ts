// Limits that are the same in every stage. A stage sets the others, such as the size of a file (infra/limits-settings.ts).
import type { limitSettings } from './settings.ts';

/** The part of a refusal that names the setting. */
export function byLimit(name: keyof typeof limitSettings): string {
  return `The stage's setting limits.${name} does not allow more.`;
}

/** The largest `decision.json`, in bytes. A hundred choices take a few thousand. */
export const DECISION_BYTES = 1024 * 1024;

/** The most choices of a decision, whether a person or a rule made it. */
export const MOST_CHOICES = 100;

/** The most characters of a name in a `decision.json`, as of an identifier in a package. */
export const LONGEST_NAME = 256;

/** Characters of a text from elsewhere that a message, a record or a page keeps. */
export const LONGEST_TEXT = 2_000;

/** Cuts a long text from outside. Never cuts within a character, because DynamoDB refuses half of one. */
export function bounded(text: string, most = LONGEST_TEXT): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
