import { useEffect, useRef } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { Check, ChoiceField } from '../parts/controls.tsx';
import { statusWords, waitingWords } from '../parts/format.ts';
import type { Filter } from './filter.ts';

const TEXT = { status: statusWords, waitingFor: waitingWords, failure: (name: string) => name };

interface Props {
  filter: Filter;
  options: Record<keyof typeof TEXT, string[]>;
  onChange(change: Partial<Filter>): void;
}

export function Filters({ filter, options, onChange }: Props) {
  const words = messages.value.table;
  return (
    <search class="filters">
      <Search value={filter.search} onChange={(search) => onChange({ search })} />
      {(['status', 'waitingFor', 'failure'] as const).map((what) => {
        const [value, names] = [filter[what], options[what]];
        return (
          <ChoiceField
            key={what}
            label={words[what]}
            look={value === '' ? '' : 'chosen'}
            value={value}
            names={['', ...names, ...(value === '' || names.includes(value) ? [] : [value])]}
            text={(name) => (name === '' ? words[what] : TEXT[what](name))}
            onChange={(name) => onChange({ [what]: name })}
          />
        );
      })}
      <Check isChecked={filter.stuck} onChange={(stuck) => onChange({ stuck })}>
        {words.stuck}
      </Check>
    </search>
  );
}

/** `/` focuses it, Escape clears it. */
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
