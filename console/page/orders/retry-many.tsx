import { useRef, useState } from 'preact/hooks';
import type { Done, OrderRow } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { form, statusWords } from '../parts/format.ts';
import { addressOf, CallFailed, call } from '../state/call.ts';

const SHOWN = 12;
/** Ten orders in a second, as the command line does it. Milliseconds. */
const PACE = 100;

/** Retries all orders of the table that wait for an operator, after they were shown. */
export function RetryMany({ rows, isOffered }: { rows: OrderRow[]; isOffered: boolean }) {
  const [asked, setAsked] = useState<OrderRow[]>();
  const words = messages.value.many;
  const waiting = rows.filter(({ waitingFor }) => waitingFor === 'operator');
  if (asked) return <Many rows={asked} onClose={() => setAsked(undefined)} />;
  if (!isOffered || waiting.length === 0) return null;
  return <Button words={`${words.name}…`} hint={words.hint} onClick={() => setAsked(waiting)} />;
}

function Many({ rows, onClose }: { rows: OrderRow[]; onClose(): void }) {
  const isStopped = useRef(false);
  const [begun, setBegun] = useState(0);
  const [refused, setRefused] = useState<[orderRef: string, why: string][]>([]);
  const words = messages.value.many;
  const retry = async () => {
    const why = new Map<string, string>();
    for (const [at, { orderRef }] of rows.entries()) {
      if (isStopped.current) break;
      const pause = new Promise((resolve) => setTimeout(resolve, PACE));
      await call<Done>(`${addressOf(orderRef)}/retry`, {}).catch((error: unknown) => {
        if (!(error instanceof CallFailed) || error.status === 0) throw error;
        why.set(orderRef, error.message);
      });
      setBegun(at + 1);
      await pause;
    }
    setRefused([...why]);
    return words.started(rows.length - why.size, rows.length);
  };
  const close = () => {
    isStopped.current = true;
    onClose();
  };
  const after = (
    <ul lang="en">
      {[...Map.groupBy(refused, ([orderRef, why]) => why.replaceAll(orderRef, '…'))].map(([why, group]) => (
        <li key={why}>
          <strong>{group.map(([orderRef]) => orderRef).join(', ')}</strong>: {why}
        </li>
      ))}
    </ul>
  );
  return (
    <ActionDialog
      title={words.title(form(rows.length, messages.value.table.count))}
      action={words.act}
      onAct={retry}
      onClose={close}
      after={after}
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
      {begun > 0 && <p role="status">{words.begun(begun, rows.length)}</p>}
    </ActionDialog>
  );
}
