import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  title: string;
  aside?: ComponentChildren;
  wide?: boolean;
  children: ComponentChildren;
}

/** A part of a page with a heading. */
export function Section({ title, aside, wide, children }: Props) {
  const id = useId();
  return (
    <section class={`card ${wide ? 'wide' : ''}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
