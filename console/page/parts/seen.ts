/**
 * Characters that cannot be seen or turn the direction of the text. People need the joiners of letters (U+200C, U+200D) and the
 * variants of signs. commands/text.ts has the same.
 */
const UNSEEN = /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A text with what cannot be seen percent-encoded. Others choose names, which must not look like another text. */
export function seen(text: string): string {
  return text.replaceAll(UNSEEN, encodeURIComponent);
}
