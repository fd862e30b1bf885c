/** Invisible characters and direction marks, except joiners and variation selectors, which languages need. */
export const UNSEEN = /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;
