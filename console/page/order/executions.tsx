import type { ExecutionFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/section.tsx';

const TONES: Record<string, string> = { RUNNING: 'calm', SUCCEEDED: 'good' };

export function ExecutionList({ executions }: { executions: ExecutionFacts[] }) {
  const words = messages.value.executions;
  return (
    <Section title={words.title}>
      {executions.length === 0 && <p class="faint">{words.none}</p>}
      <ul class="rows">
        {executions.toReversed().map(({ name, status, startedAt, endedAt, address }) => (
          <li key={name}>
            <span class={`tone ${TONES[status] ?? 'bad'}`}>
              {address ? (
                <a href={address} target="_blank" rel="noreferrer">
                  {name}
                </a>
              ) : (
                name
              )}
            </span>
            <span class="faint">
              {words.statuses[status] ?? status}
              {startedAt !== undefined && [', ', words.started, ' ', <Moment key="started" at={startedAt} />]}
              {endedAt !== undefined && [', ', words.ended, ' ', <Moment key="ended" at={endedAt} />]}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
