import { options } from 'preact';
import { seen } from './seen.ts';

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
