import { useRef, useState } from 'preact/hooks';
import type { OrderRow, Outcomes } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { form, statusWords } from '../parts/format.ts';
import { call } from '../state/call.ts';

const SHOWN = 12;
/** The server takes so many at once; between two requests a person can stop. */
const AT_ONCE = 20;

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
  const [begun, setBegun] = useState<number>();
  const [refused, setRefused] = useState<Outcomes['outcomes']>([]);
  const words = messages.value.many;
  const retry = async () => {
    let done = 0;
    for (let from = 0; from < rows.length && !isStopped.current; from += AT_ONCE) {
      const orderRefs = rows.slice(from, from + AT_ONCE).map(({ orderRef }) => orderRef);
      const { outcomes } = await call<Outcomes>('/api/retry', { orderRefs });
      done += outcomes.filter((outcome) => outcome.done).length;
      setBegun(from + orderRefs.length);
      setRefused((known) => [...known, ...outcomes.filter((outcome) => !outcome.done)]);
    }
    return words.started(done, rows.length);
  };
  const close = () => {
    isStopped.current = true;
    onClose();
  };
  return (
    <ActionDialog
      title={words.title(form(rows.length, messages.value.table.count))}
      action={words.act}
      onAct={retry}
      onClose={close}
      after={<Refused outcomes={refused} />}
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
      {begun !== undefined && <p role="status">{words.begun(begun, rows.length)}</p>}
    </ActionDialog>
  );
}

function Refused({ outcomes }: { outcomes: Outcomes['outcomes'] }) {
  if (outcomes.length === 0) return null;
  return (
    <ul lang="en">
      {outcomes.map(({ orderRef, said }) => (
        <li key={orderRef}>
          <strong>{orderRef}</strong>: {said}
        </li>
      ))}
    </ul>
  );
}
