import { useMemo } from 'preact/hooks';
import type { OrderRow } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { formatNumber, statusWords } from '../parts/format.ts';
import type { Filter } from './filter.ts';

const PEOPLE_FIRST = ['operator', 'signatures', 'decision', 'service', 'nobody'] as const;

interface Props {
  rows: ReadonlyMap<string, OrderRow>;
  filter: Filter;
  onChange(change: Partial<Filter>): void;
}

/** Whom orders wait for, people first, and their statuses. Each bar filters the table. */
export function Counts({ rows, filter, onChange }: Props) {
  const words = messages.value.table;
  const parties = useMemo(() => Map.groupBy(rows.values(), ({ waitingFor }) => waitingFor), [rows]);
  const statuses = useMemo(() => Map.groupBy(rows.values(), ({ status }) => status), [rows]);
  // Statuses are in the order of the process at the service. Unknown ones follow.
  const names = new Set([...Object.keys(messages.value.statuses), ...[...statuses.keys()].sort()]);
  return (
    <div class="counts">
      <Bars
        title={words.byParty}
        bars={PEOPLE_FIRST.map((name) => ({ name, label: words.queues[name], count: parties.get(name)?.length ?? 0 }))}
        chosen={filter.waitingFor}
        onChoose={(waitingFor) => onChange({ waitingFor })}
      />
      <Bars
        title={words.byStatus}
        bars={[...names].map((name) => ({ name, label: statusWords(name), count: statuses.get(name)?.length ?? 0 }))}
        chosen={filter.status}
        onChoose={(status) => onChange({ status })}
      />
    </div>
  );
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
      {bars.map(({ name, label, count }) => {
        // The square root keeps small counts visible beside large ones. The number is shown beside the bar.
        const height = count === 0 ? 0 : Math.max(LEAST, HEIGHT * Math.sqrt(count / most));
        const isChosen = chosen === name;
        return (
          <button
            type="button"
            key={name}
            aria-pressed={isChosen}
            title={`${label}: ${formatNumber(count)}`}
            onClick={() => onChoose(isChosen ? '' : name)}
          >
            <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
              <rect x="0" y={HEIGHT - height} width="10" height={height} />
            </svg>
            <strong>{formatNumber(count)}</strong>
            <span>{label}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
