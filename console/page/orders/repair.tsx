import type { OrderRow } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { Check } from '../parts/controls.tsx';
import { formatNumber } from '../parts/format.ts';
import { type Asked, ManyButtons, type Verb } from './act-on-many.tsx';
import { type Repair, repairOf } from './filter.ts';
import { chosen } from './orders-table.tsx';

/** What is done for all orders of a kind. The main buttons repair at once; the others come after the look. */
const VERB: Partial<Record<Repair, Verb>> = { resolve: 'resolve', retry: 'retry', dismiss: 'dismiss', look: 'retry' };

/** The stopped orders by what to do, each advice once. */
export function Repairs({ rows, onAsk }: { rows: OrderRow[]; onAsk(asked: Asked): void }) {
  const words = messages.value.repair;
  const adviceOf = ({ advice }: OrderRow) => advice?.[language.value === 'ru' ? 1 : 0] ?? words.tooLong;
  return (
    <ul class="repairs" aria-label={words.title}>
      {[...Map.groupBy(rows, repairOf)].map(([kind, all]) => (
        <li key={kind}>
          <header>
            <h2>
              {words.kinds[kind]}: {formatNumber(all.length)}
            </h2>
            <ManyButtons
              rows={all}
              verbs={[VERB[kind] ?? []].flat()}
              look={kind === 'resolve' || kind === 'retry' ? 'main' : ''}
              onAsk={onAsk}
            />
          </header>
          {[...Map.groupBy(all, adviceOf)].map(([advice, alike]) => (
            <Check
              key={advice}
              isChecked={alike.every(({ orderRef }) => chosen.value.has(orderRef))}
              onChange={(isChecked) => chooseAll(alike, isChecked)}
            >
              <span>
                <strong>{formatNumber(alike.length)}</strong> {advice}
              </span>
            </Check>
          ))}
        </li>
      ))}
    </ul>
  );
}

function chooseAll(rows: OrderRow[], isChosen: boolean): void {
  const all = new Set(chosen.value);
  for (const { orderRef } of rows) all[isChosen ? 'add' : 'delete'](orderRef);
  chosen.value = all;
}
