import { useRef } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { formatNumber } from '../parts/format.ts';
import { useKeys } from '../parts/hooks.ts';
import { stage } from '../state/stage.ts';
import { type Filter, filterAddress, type Queue } from './filter.ts';

interface QueuesProps {
  filter: Filter;
  counts: [Queue, number][];
}

/** The queues as links, so that each has an address. They are one stop of the Tab key: the arrow keys lead from one to the next. */
export function Queues({ filter, counts }: QueuesProps) {
  const words = messages.value.table;
  const { rejected = 0 } = stage.value ?? {};
  return (
    <nav class="queues" aria-label={words.byQueue} onKeyDown={moveFocus}>
      {counts.map(([queue, count]) => (
        <a
          key={queue}
          href={filterAddress(filter, queue)}
          aria-current={queue === filter.queue && 'page'}
          tabIndex={queue === filter.queue ? 0 : -1}
        >
          {words.queues[queue]} {queue !== 'closed' && <strong>{formatNumber(count)}</strong>}
        </a>
      ))}
      {rejected > 0 && (
        <a href="/rejected" tabIndex={-1}>
          {messages.value.rejected.title} <strong>{formatNumber(rejected)}</strong>
        </a>
      )}
    </nav>
  );
}

function moveFocus({ key, target }: KeyboardEvent): void {
  const link = target as HTMLElement;
  const next = { ArrowRight: link.nextElementSibling, ArrowLeft: link.previousElementSibling }[key];
  if (next instanceof HTMLElement) next.focus();
}

/** `/` focuses it, Escape clears it. */
export function Search({ value, onChange }: { value: string; onChange(text: string): void }) {
  const field = useRef<HTMLInputElement>(null);
  useKeys((event) => {
    const { key, code, target } = event;
    const isTyping = target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
    if ((key !== '/' && code !== 'Slash') || isTyping) return;
    event.preventDefault();
    field.current?.focus();
  });
  const words = messages.value.table;
  return (
    <input
      ref={field}
      type="search"
      class="search"
      aria-label={words.search}
      placeholder={`${words.search}  /`}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={({ key }) => key === 'Escape' && onChange('')}
    />
  );
}
