import { useState } from 'preact/hooks';
import type { OrderFacts, TechnicalFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { FactList, Moment, Notice, Section } from '../parts/controls.tsx';
import { form, size } from '../parts/format.ts';
import { useAnswer } from '../parts/hooks.ts';
import { OtherActions } from './actions.tsx';
import { memberText } from './offer-rows.ts';

/** For operators and engineers: what the command `show` prints, and the way to the consoles of AWS. */
export function Technical({ facts }: { facts: OrderFacts }) {
  const [isOpen, setOpen] = useState(false);
  const words = messages.value.technical;
  const { facts: answer, failed } = useAnswer<TechnicalFacts>(facts, isOpen ? 'show' : undefined);
  const { executions, log } = facts;
  const pages = [...executions.map(({ name, address }) => [name, address]).reverse(), [words.log, log]];
  return (
    <details class="technical" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.title}</summary>
      <div class="stack">
        <OtherActions facts={facts} />
        <ul>
          {pages.map(
            ([name, address]) =>
              address?.startsWith('https:') && (
                <li key={address}>
                  <a href={address} target="_blank" rel="noreferrer">
                    {name}
                  </a>
                </li>
              ),
          )}
        </ul>
        <Notice words={failed} />
        {answer && <Code text={answer.text} />}
        {answer?.snapshot != null && (
          <Section title={words.snapshot}>
            <Code text={JSON.stringify(answer.snapshot, undefined, 2)} />
          </Section>
        )}
      </div>
    </details>
  );
}

export function Timeline({ facts: { timeline } }: { facts: OrderFacts }) {
  return (
    <Section title={messages.value.timeline}>
      <ol class="timeline">
        {timeline.toReversed().map(({ item, at, what, facts }) => (
          <li key={item}>
            <Moment at={at} hasHour />
            <p>
              {messages.value.happened(what)}
              {facts.length > 0 && <span class="faint">, {facts.map(messages.value.fact).join(', ')}</span>}
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}

export function PackageDocuments({ facts: { package: documents } }: { facts: OrderFacts }) {
  const words = messages.value.order;
  return (
    <Section title={words.package} aside={<p class="faint">{form(documents.length, words.documents)}</p>}>
      <ul class="rows">
        {documents.map(({ file, docType, entityId, size: bytes }) => (
          <li key={`${file} ${docType} ${entityId}`}>
            <span>{file.replace(/^documents\//, '')}</span>
            <span class="faint">
              {docType}, {entityId}, {size(bytes)}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What the bank's validation found, as it wrote it: the specification (7.3) does not show the structure of an issue. */
export function Issues({ facts }: { facts: OrderFacts }) {
  const { facts: answer, failed } = useAnswer<{ issues: unknown }>(facts, 'issues');
  if (failed === undefined && answer?.issues == null) return null;
  return (
    <Section title={messages.value.issues}>
      <Notice words={failed} />
      <ul class="rows">
        {[answer?.issues ?? []].flat().map((issue, at) => (
          <li key={at}>
            {typeof issue === 'object' && issue !== null ? (
              <FactList facts={Object.entries(issue).map(memberText)} />
            ) : (
              String(issue)
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const Code = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
  <pre tabIndex={0}>
    <code>{text}</code>
  </pre>
);
