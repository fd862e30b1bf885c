import { useState } from 'preact/hooks';
import type { ServiceWords } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Notice } from '../parts/controls.tsx';
import { useAnswer } from '../parts/hooks.ts';
import { Section } from '../parts/section.tsx';
import { addressOf } from '../state/call.ts';

/** What the service said when it refused something. Nothing is shown if it never did. */
export function Words({ orderRef, changed }: { orderRef: string; changed: unknown }) {
  const words = messages.value.words;
  const { answer, failed } = useAnswer<ServiceWords>(`${addressOf(orderRef)}/words`, changed);
  const issues = answer?.issues == null ? [] : [{ name: words.issues, answer: answer.issues }];
  const shown = failed === undefined ? [...issues, ...(answer?.answers ?? [])] : [];
  if (failed === undefined && shown.length === 0) return null;
  return (
    <Section title={words.title} wide>
      <Notice words={failed} />
      {shown.map(({ name, answer: said }, position) => (
        <details key={name} open={position === 0}>
          <summary>{name.replace(/^errors\//, '')}</summary>
          <Code value={said} />
        </details>
      ))}
    </Section>
  );
}

/** The service's last answer as it came, fetched when it is opened. */
export function Snapshot({ orderRef, changed }: { orderRef: string; changed: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const words = messages.value.words;
  const path = isOpen ? `${addressOf(orderRef)}/snapshot` : undefined;
  const { answer, failed } = useAnswer<{ snapshot: unknown }>(path, changed);
  return (
    <Section title={words.snapshot} wide>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{words.snapshotHint}</summary>
        <Notice words={failed} />
        {answer &&
          (answer.snapshot === null ? <p class="faint">{words.noSnapshot}</p> : <Code value={answer.snapshot} />)}
      </details>
    </Section>
  );
}

function Code({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
    <pre tabIndex={0}>
      <code>{JSON.stringify(value, undefined, 2)}</code>
    </pre>
  );
}
