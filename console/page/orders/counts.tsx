import { useMemo } from 'preact/hooks';
import type { OrderRow } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { number } from '../parts/format.ts';
import { statusWords } from '../parts/order-words.ts';
import { AGES, bucketOf, type Filter } from './filter.ts';

interface Props {
  rows: ReadonlyMap<string, OrderRow>;
  filter: Filter;
  now: number;
  onChange(change: Partial<Filter>): void;
}

/** The way of an order through the service. Other statuses follow. */
const USUAL = [
  'RECEIVED',
  'IN_WORK',
  'WAITING_FOR_DOCUMENTS',
  'WAITING_FOR_SIGNATURE',
  'OFFERS_AVAILABLE',
  'OFFERS_APPROVED',
  'CLOSED',
  'VALIDATION_FAILED',
];

/** How many orders have each status, and how long those that are not over have been unchanged. Each bar narrows the table. */
export function Counts({ rows, filter, now, onChange }: Props) {
  const words = messages.value.table;
  const { statuses, ages } = useMemo(() => count(rows.values(), now), [rows, now]);
  const names = [...USUAL, ...[...statuses.keys()].filter((name) => !USUAL.includes(name)).sort()];
  return (
    <div class="counts">
      <Bars
        title={words.byStatus}
        bars={names.map((name) => ({ name, label: statusWords(name), count: statuses.get(name) ?? 0 }))}
        chosen={filter.status}
        onChoose={(status) => onChange({ status })}
      />
      <Bars
        title={words.byAge}
        bars={AGES.map(({ name }) => ({ name, label: words.ages[name] ?? name, count: ages.get(name) ?? 0 }))}
        chosen={filter.age}
        onChoose={(age) => onChange({ age })}
      />
    </div>
  );
}

function count(rows: Iterable<OrderRow>, now: number) {
  const [statuses, ages] = [new Map<string, number>(), new Map<string, number>()];
  for (const row of rows) {
    statuses.set(row.status, (statuses.get(row.status) ?? 0) + 1);
    const bucket = bucketOf(row, now);
    if (bucket !== undefined) ages.set(bucket, (ages.get(bucket) ?? 0) + 1);
  }
  return { statuses, ages };
}

interface BarsProps {
  title: string;
  bars: { name: string; label: string; count: number }[];
  chosen: string;
  onChoose(name: string): void;
}

const HEIGHT = 36;
const LEAST = 2;

function Bars({ title, bars, chosen, onChoose }: BarsProps) {
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  return (
    <fieldset class="bars">
      <legend>{title}</legend>
      {bars.map(({ name, label, count: value }) => {
        // The root keeps small counts visible beside large ones; the number says which it is.
        const height = value === 0 ? 0 : Math.max(LEAST, HEIGHT * Math.sqrt(value / most));
        const isChosen = chosen === name;
        return (
          <button
            type="button"
            key={name}
            aria-pressed={isChosen}
            title={messages.value.table.narrowed(label, number(value))}
            onClick={() => onChoose(isChosen ? '' : name)}
          >
            <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
              <rect x="0" y={HEIGHT - height} width="10" height={height} />
            </svg>
            <strong>{number(value)}</strong>
            <span>{label}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
