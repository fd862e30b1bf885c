import { useEffect, useRef } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { statusWords, waitingWords } from '../parts/status.tsx';
import type { Filter } from './filter.ts';

interface Props {
  filter: Filter;
  /** The statuses, parties and failures that orders have now. */
  known: { statuses: string[]; parties: string[]; failures: string[] };
  onChange(change: Partial<Filter>): void;
}

/** Search and filters above the table. */
export function Filters({ filter, known, onChange }: Props) {
  const words = messages.value.table;
  return (
    <search class="filters">
      <Search value={filter.search} onChange={(search) => onChange({ search })} />
      <Choice
        label={words.status}
        value={filter.status}
        names={known.statuses}
        text={statusWords}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label={words.waitingFor}
        value={filter.waitingFor}
        names={known.parties}
        text={waitingWords}
        onChange={(waitingFor) => onChange({ waitingFor })}
      />
      <Choice
        label={words.failure}
        value={filter.failure}
        names={known.failures}
        text={(name) => name}
        onChange={(failure) => onChange({ failure })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={filter.stuck}
          onChange={({ currentTarget }) => onChange({ stuck: currentTarget.checked })}
        />
        {words.stuck}
      </label>
    </search>
  );
}

/** `/` leads into it, Escape empties it. */
function Search({ value, onChange }: { value: string; onChange(text: string): void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const jump = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null;
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', jump);
    return () => document.removeEventListener('keydown', jump);
  }, []);
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

interface ChoiceProps {
  label: string;
  value: string;
  names: string[];
  text(name: string): string;
  onChange(name: string): void;
}

function Choice({ label, value, names, text, onChange }: ChoiceProps) {
  const shown = value === '' || names.includes(value) ? names : [...names, value];
  return (
    <select
      class={value === '' ? '' : 'chosen'}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">{label}</option>
      {shown.map((name) => (
        <option key={name} value={name}>
          {text(name)}
        </option>
      ))}
    </select>
  );
}
