import type { ComponentChildren, RenderableProps } from 'preact';
import { useId, useState } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { download } from '../state/call.ts';
import { now } from '../state/clock.ts';
import { ago, dayTime, exactTime } from './format.ts';

interface ButtonProps {
  words: string;
  look?: 'main' | 'danger' | '' | undefined;
  isDisabled?: boolean | undefined;
  onClick(): void;
}

export const Button = ({ words, look, isDisabled, onClick }: ButtonProps) => (
  <button type="button" class={look} disabled={isDisabled} onClick={onClick}>
    {words}
  </button>
);

/** Copies a text, and shows that until the text changes. */
export function CopyButton({ words, text }: { words: string; text: string }) {
  const [copied, setCopied] = useState<string>();
  // The browser refuses a page that has no focus.
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(text),
      () => setCopied(undefined),
    );
  return <Button words={copied === text ? messages.value.copied : words} onClick={copy} />;
}

/** Downloads from this address. If the console does not answer, the bar at the top says so. */
export function Download({ words, path, isMain }: { words: string; path: string; isMain?: boolean }) {
  const start = (event: Event) => {
    event.preventDefault();
    download(path).catch(() => undefined);
  };
  return (
    <a class={`button ${isMain ? 'main' : ''}`} href={path} download onClick={start}>
      {words}
    </a>
  );
}

type CheckProps = RenderableProps<{ isChecked?: boolean; group?: string; onChange(isChecked: boolean): void }>;

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

/** Why a person does something. The server takes no longer text. */
export const Reason = ({ value, onInput }: { value: string; onInput(text: string): void }) => (
  <label class="field">
    {messages.value.actions.reason}
    <input type="text" maxLength={200} value={value} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
  </label>
);

interface ChoiceProps {
  label: string;
  value: string;
  names: readonly string[];
  text(name: string): string;
  onChange(name: string): void;
}

export const ChoiceField = ({ label, value, names, text, onChange }: ChoiceProps) => (
  <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
    {names.map((name) => (
      <option key={name} value={name}>
        {text(name)}
      </option>
    ))}
  </select>
);

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

type Tone = 'bad' | 'good' | 'people' | 'over';

export const Notice = ({ tone = 'bad', words }: { tone?: Tone; words?: string | undefined }) =>
  words === undefined ? null : <p class={`notice ${tone}`}>{words}</p>;

/** A time: relative if it is near, else the date. The exact one is in the tooltip. `hasHour`: the date and the time of day. */
export const Moment = ({ at, hasHour }: { at: string; hasHour?: boolean }) => (
  <time dateTime={at} title={exactTime(at)}>
    {hasHour ? dayTime(at) : ago(at, now.value)}
  </time>
);

/** What is said of a time, and the time. Nothing if there is none. */
export const Dated = ({ words, at, look }: { words: string; at: string | undefined; look?: string }) =>
  at === undefined ? null : (
    <span class={look}>
      {words} <Moment at={at} />
    </span>
  );

type SectionProps = RenderableProps<{ title: ComponentChildren; anchor?: string; aside?: ComponentChildren }>;

/** @param props `anchor` is its name as the target of a link. */
export function Section({ title, anchor, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section class="card" id={anchor} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export const FactList = ({ look, facts }: { look?: string; facts: [name: string, value: string][] }) => (
  <dl class={look}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
