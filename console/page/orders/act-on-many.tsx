import { useState } from 'preact/hooks';
import type { Done, OrderRow } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { Button, Check, Field, Notice } from '../parts/controls.tsx';
import { ActionDialog } from '../parts/dialog.tsx';
import { companyOf, form } from '../parts/format.ts';
import type { Tell } from '../parts/sent.tsx';
import { addressOf, CallFailed, call } from '../state/call.ts';
import { stage } from '../state/stage.ts';

const VERBS = ['retry', 'resolve', 'abort', 'dismiss'] as const;
export type Verb = (typeof VERBS)[number];

/** An action that a person looks at before it is done for all orders that it fits. */
export interface Asked {
  verb: Verb;
  rows: OrderRow[];
}

const SHOWN = 12;
/** Milliseconds. Ten orders per second, like the command line. */
const PACE = 100;

/** Why the action cannot be done for the order, as far as the page knows. */
function whyNot(verb: Verb, { waitingFor, repair, failure }: OrderRow) {
  if (waitingFor === 'nobody') return verb === 'retry' && failure === 'DismissedByOperator' ? undefined : 'over';
  if (verb === 'resolve') return repair === 'resolve' ? undefined : 'known';
  if (verb === 'abort') return waitingFor === 'operator' || repair === 'heals' ? 'idle' : undefined;
  if (repair === 'heals') return verb === 'retry' ? undefined : 'heals';
  if (waitingFor !== 'operator') return 'running';
  return verb === 'retry' && repair === 'resolve' ? 'unknown' : undefined;
}

interface ManyProps {
  rows: OrderRow[];
  verbs?: readonly Verb[];
  look?: 'main' | '';
  onAsk(asked: Asked): void;
}

/** A button for each action that fits any of the orders, with their number. */
export const ManyButtons = ({ rows, verbs = VERBS, look, onAsk }: ManyProps) =>
  verbs.map((verb) => {
    const fitting = rows.filter((row) => whyNot(verb, row) === undefined).length;
    const words = messages.value.many.names[verb](form(fitting, messages.value.table.count));
    return fitting > 0 && <Button key={verb} words={`${words}…`} look={look} onClick={() => onAsk({ verb, rows })} />;
  });

const nameIn = (row: OrderRow) => [...new Set([companyOf(row), row.orderRef])].join(' ');

function namesOf(rows: OrderRow[]): string {
  const names = rows.slice(0, SHOWN).map(nameIn).join(', ');
  return rows.length > SHOWN ? `${names}, ${messages.value.many.more(rows.length - SHOWN)}` : names;
}

/** Says which orders are left out and why, then acts on the others. */
export function ManyDialog({ verb, rows, onClose }: Asked & { onClose(): void }) {
  const groups = Map.groupBy(rows, (row) => whyNot(verb, row));
  const fitting = groups.get(undefined) ?? [];
  const [reason, setReason] = useState('');
  const [isNone, setNone] = useState<boolean>();
  const [list, setList] = useState(() => fitting.map(({ orderRef }) => `${orderRef},`).join('\n'));
  const { many: words, table, order, actions } = messages.value;
  const listed = new Map(list.split('\n').map((line) => line.trim().split(/[\s,;]+/) as [string, string | undefined]));
  const orderIdOf = ({ orderRef }: OrderRow) => (isNone ? null : isNone === false && listed.get(orderRef));
  const given = verb === 'resolve' ? fitting.filter((row) => orderIdOf(row) === null || orderIdOf(row)) : fitting;
  const isTwice = isNone === false && new Set(given.map(orderIdOf)).size < given.length;
  const bodyOf = (row: OrderRow) =>
    ({ retry: {}, abort: {}, dismiss: { reason }, resolve: { orderId: orderIdOf(row) } })[verb];
  const { pause } = stage.value ?? {};
  return (
    <ActionDialog
      title={words.names[verb](form(fitting.length, table.count))}
      deed={{ what: `many ${verb}` }}
      action={words.names[verb](form(given.length, table.count))}
      isDanger={verb === 'abort' || verb === 'dismiss'}
      isReady={given.length > 0 && !isTwice && (verb !== 'dismiss' || reason.trim() !== '')}
      onAct={(tell) => eachAtPace(verb, new Map(given.map((row) => [row.orderRef, bodyOf(row)])), tell)}
      onClose={onClose}
    >
      <p>{words.does[verb]}</p>
      {verb === 'retry' && <Notice tone="people" words={pause && order.paused(pause.reason)} />}
      {[...groups].map(
        ([why, left]) =>
          why && <Notice key={why} tone="people" words={words.leftOut(namesOf(left), words.whyNot[why])} />,
      )}
      {verb === 'dismiss' && <Field label={messages.value.reason} value={reason} onInput={setReason} />}
      {verb === 'resolve' && (
        <fieldset>
          <legend>{actions.resolve.question}</legend>
          <Check group="none" onChange={() => setNone(true)}>
            {words.hasNone}
          </Check>
          <Check group="none" onChange={() => setNone(false)}>
            {words.hasThese}
          </Check>
          <textarea
            aria-label={words.hasThese}
            rows={Math.min(SHOWN, fitting.length)}
            value={list}
            disabled={isNone !== false}
            onInput={({ currentTarget }) => setList(currentTarget.value)}
          />
        </fieldset>
      )}
      <Notice words={isTwice ? words.twice : undefined} />
      <p class="faint">{namesOf(given)}</p>
    </ActionDialog>
  );
}

/** A refused order stops none of the others. Refusals are grouped by their sentence. */
async function eachAtPace(verb: Verb, bodies: Map<string, object>, tell: Tell): Promise<string> {
  const words = messages.value.many;
  const why = new Map<string, string>();
  let begun = 0;
  for (const [orderRef, body] of bodies) {
    const pause = new Promise((resolve) => setTimeout(resolve, PACE));
    await call<Done>(`${addressOf(orderRef)}/${verb}`, body).catch((error: unknown) => {
      if (!(error instanceof CallFailed) || error.status === 0) throw error;
      why.set(orderRef, error.message);
    });
    begun += 1;
    tell(words.begun(begun, bodies.size));
    await pause;
  }
  const groups = Map.groupBy(why, ([orderRef, said]) => said.replaceAll(orderRef, '…'));
  const refused = [...groups].map(([said, group]) => `${group.map(([orderRef]) => orderRef).join(', ')}: ${said}`);
  return [words.done(bodies.size - why.size, bodies.size), ...refused].join(' ');
}
