import { options } from 'preact';

/**
 * Characters that cannot be seen or turn the direction of the text. People need the joiners of letters (U+200C, U+200D) and the
 * variants of signs. commands/text.ts has the same.
 */
const UNSEEN = /(?![\p{Join_Control}\p{Variation_Selector}])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A text with what cannot be seen percent-encoded. Others choose names, which must not look like another text. */
export function seen(text: string): string {
  return text.replaceAll(UNSEEN, encodeURIComponent);
}

/** Attributes that people read, or hear. */
const READ = ['children', 'title', 'aria-label', 'alt', 'label', 'placeholder'];

/** Makes every text that is shown {@link seen}: in one place, so none is forgotten. Values of fields stay as they are. */
export function showUnseen(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    const props = vnode.props as Record<string, unknown>;
    for (const name of READ) if (props[name] !== undefined) props[name] = shown(props[name]);
    before?.(vnode);
  };
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return seen(value);
  return Array.isArray(value) ? value.map(shown) : value;
}
