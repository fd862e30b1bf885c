import type { OrderRow } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { ActButtons, type Asked, type Verb } from '../parts/act.tsx';
import { Check } from '../parts/controls.tsx';
import { formatNumber } from '../parts/format.ts';
import { type Repair, repairOf } from './filter.ts';
import { chosen } from './orders-table.tsx';

/** What is done for all orders of a kind: at once, with a main button, or after a look. */
const NOW: Partial<Record<Repair, Verb[]>> = { resolve: ['resolve'], retry: ['retry'] };
const AFTER_LOOK: Partial<Record<Repair, Verb[]>> = { dismiss: ['dismiss'], look: ['retry'] };

/** The stopped orders by what to do, each advice once. */
export function Repairs({ rows, onAsk }: { rows: OrderRow[]; onAsk(asked: Asked): void }) {
  const words = messages.value.repair;
  const adviceOf = ({ advice }: OrderRow) => advice?.[language.value === 'ru' ? 1 : 0] ?? words.tooLong;
  const isChosen = ({ orderRef }: OrderRow) => chosen.value.has(orderRef);
  return (
    <ul class="repairs">
      {[...Map.groupBy(rows, repairOf)].map(([kind, all]) => (
        <li key={kind}>
          <header>
            <h2>{`${words.kinds[kind]}: ${formatNumber(all.length)}`}</h2>
            <ActButtons rows={all} verbs={NOW[kind] ?? []} look="main" onAsk={onAsk} />
            <ActButtons rows={all} verbs={AFTER_LOOK[kind] ?? []} onAsk={onAsk} />
          </header>
          {[...Map.groupBy(all, adviceOf)].map(([advice, alike]) => (
            <Check key={advice} isChecked={alike.every(isChosen)} onChange={(isOn) => chooseAll(alike, isOn)}>
              {`${formatNumber(alike.length)}: ${advice}`}
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
