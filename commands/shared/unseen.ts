/**
 * Characters that cannot be seen or turn the direction of the text. People need the joiners of letters (U+200C, U+200D) and the
 * variants of signs. The console's page imports it, too.
 */
export const UNSEEN = /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;
