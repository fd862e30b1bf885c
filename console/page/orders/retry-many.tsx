import { useState } from 'preact/hooks';
import type { Done, OrderRow } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { form, statusWords } from '../parts/format.ts';
import type { Tell } from '../parts/sent.tsx';
import { addressOf, CallFailed, call } from '../state/call.ts';

const SHOWN = 12;
/** Milliseconds. Ten orders per second, like the command line. */
const PACE = 100;

/** Shows all orders of the table that wait for an operator, then retries them. */
export function RetryMany({ rows }: { rows: OrderRow[] }) {
  const [asked, setAsked] = useState<OrderRow[]>();
  const words = messages.value.many;
  const waiting = rows.filter(({ waitingFor }) => waitingFor === 'operator');
  if (asked) return <Many rows={asked} onClose={() => setAsked(undefined)} />;
  if (waiting.length === 0) return null;
  return (
    <Button
      words={`${words.name(form(waiting.length, messages.value.table.count))}…`}
      onClick={() => setAsked(waiting)}
    />
  );
}

function Many({ rows, onClose }: { rows: OrderRow[]; onClose(): void }) {
  const words = messages.value.many;
  const retry = async (tell: Tell) => {
    const why = new Map<string, string>();
    for (const [at, { orderRef }] of rows.entries()) {
      const pause = new Promise((resolve) => setTimeout(resolve, PACE));
      await call<Done>(`${addressOf(orderRef)}/retry`, {}).catch((error: unknown) => {
        if (!(error instanceof CallFailed) || error.status === 0) throw error;
        why.set(orderRef, error.message);
      });
      tell(words.begun(at + 1, rows.length));
      await pause;
    }
    const groups = Map.groupBy(why, ([orderRef, said]) => said.replaceAll(orderRef, '…'));
    const refused = [...groups].map(([said, group]) => `${group.map(([orderRef]) => orderRef).join(', ')}: ${said}`);
    return [words.started(rows.length - why.size, rows.length), ...refused].join(' ');
  };
  return (
    <ActionDialog
      title={words.title(form(rows.length, messages.value.table.count))}
      deed={{ what: 'many' }}
      action={words.act}
      onAct={retry}
      onClose={onClose}
    >
      <p>{words.does}</p>
      <ul>
        {rows.slice(0, SHOWN).map(({ orderRef, status, failure }) => (
          <li key={orderRef}>
            {orderRef}{' '}
            <span class="faint">
              {statusWords(status)}
              {failure !== undefined && `, ${failure}`}
            </span>
          </li>
        ))}
      </ul>
      {rows.length > SHOWN && <p class="faint">{words.more(rows.length - SHOWN)}</p>}
    </ActionDialog>
  );
}
