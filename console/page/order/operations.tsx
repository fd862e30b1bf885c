import type { OperationFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Heads } from '../parts/controls.tsx';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/section.tsx';

const TONES = { none: 'over', unlikely: 'people', open: 'bad', done: 'good' } as const;

/** The calls that change something at the service, and what is known of each. */
export function Operations({ operations }: { operations: OperationFacts[] }) {
  const words = messages.value.operations;
  return (
    <Section title={words.title} wide>
      {operations.length === 0 ? (
        <p class="faint">{words.nothing}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
        <div class="scroll" tabIndex={0}>
          <table class="plain">
            <Heads names={[words.name, words.state, words.attempts, words.begun, words.failure]} />
            <tbody>
              {operations.map((operation) => (
                <Operation key={`${operation.name} ${operation.file} ${operation.intendedAt}`} operation={operation} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function Operation({ operation: { name, file, state, attempts, intendedAt, failure } }: { operation: OperationFacts }) {
  return (
    <tr>
      <th scope="row">
        {file === undefined ? name : name.split('#', 2).join('#')}{' '}
        {file !== undefined && <span class="faint">{file}</span>}
      </th>
      <td>
        <span class={`tone ${TONES[state]}`} title={state}>
          {messages.value.operations.states[state]}
        </span>
      </td>
      <td>{attempts}</td>
      <td>
        <Moment at={intendedAt} />
      </td>
      <td>{failure}</td>
    </tr>
  );
}
