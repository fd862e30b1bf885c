/** The most characters of an external text that a message, a record or a page contains. */
export const LONGEST_TEXT = 2_000;

/** Cuts a long text from outside. Never cuts within a character, because DynamoDB refuses half of one. */
export const bounded = (text: string, most = LONGEST_TEXT): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** A text from outside if it looks like an identifier. Only such texts go to logs, events, metrics and timelines: others may name a person. */
export const likeIdentifier = (text: unknown) => (/^[\w.:-]{1,100}$/.test(`${text ?? ''}`) ? `${text}` : undefined);
