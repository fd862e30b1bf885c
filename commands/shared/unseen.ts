/**
 * Invisible characters and direction marks, except joiners (U+200C, U+200D) and variation selectors, which languages need. The console's
 * page imports it, too.
 */
export const UNSEEN = /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;
