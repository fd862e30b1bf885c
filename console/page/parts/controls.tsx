import type { ComponentChildren } from 'preact';

interface ButtonProps {
  words: string;
  look?: 'main' | 'danger' | 'quiet' | '' | undefined;
  hint?: string;
  isDisabled?: boolean | undefined;
  onClick(): void;
}

export const Button = ({ words, look, hint, isDisabled, onClick }: ButtonProps) => (
  <button type="button" class={look} title={hint} disabled={isDisabled} onClick={onClick}>
    {words}
  </button>
);

interface CheckProps {
  children: ComponentChildren;
  isChecked?: boolean;
  /** Of several with this name, one is chosen. */
  group?: string;
  onChange(isChecked: boolean): void;
}

export const Check = ({ children, isChecked, group, onChange }: CheckProps) => (
  <label class="check">
    <input
      type={group === undefined ? 'checkbox' : 'radio'}
      name={group}
      checked={isChecked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />{' '}
    {children}
  </label>
);

interface ChoiceProps {
  label: string;
  value: string;
  names: readonly string[];
  text(name: string): string;
  look?: string;
  onChange(name: string): void;
}

export const Choice = ({ label, value, names, text, look, onChange }: ChoiceProps) => (
  <select class={look} aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
    {names.map((name) => (
      <option key={name} value={name}>
        {text(name)}
      </option>
    ))}
  </select>
);

/** The head of a table: the name of each column, and its class. */
export const Heads = ({ names, looks = [] }: { names: string[]; looks?: string[] }) => (
  <thead>
    <tr aria-rowindex={1}>
      {names.map((name, at) => (
        <th key={name} scope="col" class={looks[at]}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

/** What a call said, or why it failed. */
export const Notice = ({
  tone = 'bad',
  words,
}: {
  tone?: 'bad' | 'good' | 'people' | 'over';
  words?: string | undefined;
}) => (words === undefined ? null : <p class={`notice ${tone}`}>{words}</p>);
