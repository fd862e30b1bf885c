import { useState } from 'preact/hooks';
import type { TimelineFacts } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { timelineWords } from '../messages/timeline-ru.ts';
import { Button } from '../parts/controls.tsx';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/section.tsx';

const SHOWN_FIRST = 40;

/** What happened to the order, newest first. */
export function Timeline({ timeline }: { timeline: TimelineFacts[] }) {
  const [isWhole, showWhole] = useState(false);
  const words = messages.value.timeline;
  const newest = timeline.toReversed();
  const shown = isWhole ? newest : newest.slice(0, SHOWN_FIRST);
  return (
    <Section title={words.title}>
      <ol class="timeline">
        {shown.map(({ item, at, what, facts }) => (
          <li key={item}>
            <Moment at={at} both />
            <p>
              {language.value === 'ru' ? timelineWords(what) : what}
              {facts.length > 0 && <span class="faint">, {facts.join(', ')}</span>}
            </p>
          </li>
        ))}
      </ol>
      {shown.length < newest.length && (
        <Button words={words.more(newest.length - shown.length)} look="quiet" onClick={() => showWhole(true)} />
      )}
    </Section>
  );
}
