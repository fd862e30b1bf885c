import { styleText } from 'node:util';

/** What a colour means. */
export type Meaning = 'good' | 'bad' | 'attention' | 'none';

const COLOURS = { good: 'green', bad: 'red', attention: 'yellow' } as const;

/**
 * A text in the colour of its meaning, if standard output is a terminal. A pipe gets none, and `NO_COLOR` (https://no-color.org) turns
 * them off. The text says the same without its colour.
 */
export function coloured(meaning: Meaning, text: string): string {
  if (meaning === 'none' || !process.stdout.isTTY || process.env.NO_COLOR) return text;
  return styleText(COLOURS[meaning], text, { stream: process.stdout, validateStream: true });
}

/** What a status of an order or of an execution means. */
export function meaningOf(status: string): Meaning {
  if (/^(CLOSED|SUCCEEDED)$/.test(status)) return 'good';
  if (/^(VALIDATION_FAILED|FAILED|TIMED_OUT|ABORTED)$/.test(status)) return 'bad';
  return 'none';
}
