import { useState } from 'preact/hooks';
import type { OrderFacts, ServiceWords } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { Heads, Moment, Notice, Section } from '../parts/controls.tsx';
import { form, size } from '../parts/format.ts';
import { useAnswer } from '../parts/hooks.ts';

const TONES_OF_EXECUTIONS: Record<string, string> = { RUNNING: 'calm', SUCCEEDED: 'good' };
const TONES_OF_OPERATIONS = { none: 'over', unlikely: 'people', open: 'bad', done: 'good' } as const;

export function ExecutionList({ facts: { executions, log } }: { facts: OrderFacts }) {
  const words = messages.value.executions;
  return (
    <Section title={words.title}>
      {executions.length === 0 && <p class="faint">{words.none}</p>}
      <ul class="rows">
        {executions.toReversed().map(({ name, status, startedAt, endedAt, address }) => (
          <li key={name}>
            <span class={`tone ${TONES_OF_EXECUTIONS[status] ?? 'bad'}`}>
              <a {...(address !== undefined && { href: address })} target="_blank" rel="noreferrer">
                {name}
              </a>
            </span>
            <span class="faint">
              {wordsFor(words.statuses, status)}
              {startedAt !== undefined && [', ', words.started, ' ', <Moment key="started" at={startedAt} />]}
              {endedAt !== undefined && [', ', words.ended, ' ', <Moment key="ended" at={endedAt} />]}
            </span>
          </li>
        ))}
      </ul>
      {log?.startsWith('https:') ? (
        <a href={log} target="_blank" rel="noreferrer">
          {words.log}
        </a>
      ) : (
        log && <code class="faint">{log}</code>
      )}
    </Section>
  );
}

export function Operations({ facts: { operations } }: { facts: OrderFacts }) {
  const words = messages.value.operations;
  return (
    <Section title={words.title}>
      {operations.length === 0 ? (
        <p class="faint">{words.nothing}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
        <div class="scroll" tabIndex={0}>
          <table class="plain">
            <Heads names={[words.name, words.state, words.attempts, words.begun, words.call]} />
            <tbody>
              {operations.map(({ name, file, state, attempts, intendedAt, failure, facts }) => (
                <tr key={`${name} ${file} ${intendedAt}`}>
                  <th scope="row">
                    {file === undefined ? name : name.split('#', 2).join('#')} <span class="faint">{file}</span>
                  </th>
                  <td>
                    <span class={`tone ${TONES_OF_OPERATIONS[state]}`} title={state}>
                      {words.states[state === 'open' && name === 'create' ? 'creation' : state]}
                    </span>
                  </td>
                  <td>{attempts}</td>
                  <td>
                    <Moment at={intendedAt} />
                  </td>
                  <td>{[failure, ...facts].filter(Boolean).join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

export function Timeline({ facts: { timeline } }: { facts: OrderFacts }) {
  return (
    <Section title={messages.value.timeline}>
      <ol class="timeline">
        {timeline.toReversed().map(({ item, at, what, facts }) => (
          <li key={item}>
            <Moment at={at} />
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

/** The service's answers to refused calls. Nothing is shown if there are none. */
export function ServiceTexts({ facts }: { facts: OrderFacts }) {
  const words = messages.value.words;
  const { answer, failed } = useAnswer<ServiceWords>(facts, 'words');
  const issues = answer?.issues == null ? [] : [{ name: words.issues, answer: answer.issues }];
  const shown = failed === undefined ? [...issues, ...(answer?.answers ?? [])] : [];
  if (failed === undefined && shown.length === 0) return null;
  return (
    <Section title={words.title}>
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

/** The service's last answer, unchanged. It is fetched when the section is opened. */
export function Snapshot({ facts }: { facts: OrderFacts }) {
  const [isOpen, setOpen] = useState(false);
  const words = messages.value.words;
  const { answer, failed } = useAnswer<{ snapshot: unknown }>(facts, isOpen ? 'snapshot' : undefined);
  return (
    <Section title={words.snapshot}>
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
