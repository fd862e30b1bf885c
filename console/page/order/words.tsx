import { useState } from 'preact/hooks';
import type { ServiceWords } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Section } from '../parts/section.tsx';
import { useAnswer } from '../parts/use-answer.ts';

/** What the service said when it refused something. Nothing is shown if it never did. */
export function Words({ orderRef, changed }: { orderRef: string; changed: unknown }) {
  const words = messages.value.words;
  const { answer, failed } = useAnswer<ServiceWords>(`/api/orders/${encodeURIComponent(orderRef)}/words`, changed);
  if (failed !== undefined)
    return (
      <Section title={words.title} wide>
        <p class="notice bad">{failed}</p>
      </Section>
    );
  if (!answer || (answer.issues === null && answer.answers.length === 0)) return null;
  return (
    <Section title={words.title} wide>
      {answer.issues !== null && <Json title={words.issues} value={answer.issues} isOpen />}
      {answer.answers.map(({ name, answer: said }, position) => (
        <Json
          key={name}
          title={name.replace(/^errors\//, '')}
          value={said}
          isOpen={position === 0 && answer.issues === null}
        />
      ))}
    </Section>
  );
}

/** The service's last answer as it came, fetched when it is opened. */
export function Snapshot({ orderRef, changed }: { orderRef: string; changed: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const words = messages.value.words;
  const path = isOpen ? `/api/orders/${encodeURIComponent(orderRef)}/snapshot` : undefined;
  const { answer, failed } = useAnswer<{ snapshot: unknown }>(path, changed);
  return (
    <Section title={words.snapshot} wide>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{words.snapshotHint}</summary>
        {failed !== undefined && <p class="notice bad">{failed}</p>}
        {answer &&
          (answer.snapshot === null ? <p class="faint">{words.noSnapshot}</p> : <Code value={answer.snapshot} />)}
      </details>
    </Section>
  );
}

function Json({ title, value, isOpen }: { title: string; value: unknown; isOpen: boolean }) {
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <Code value={value} />
    </details>
  );
}

function Code({ value }: { value: unknown }) {
  const text = JSON.stringify(value, undefined, 2);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}
