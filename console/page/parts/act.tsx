import { useState } from 'preact/hooks';
import type { Done, OrderFacts, OrderRow } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { addressOf, call } from '../state/call.ts';
import { stage } from '../state/stage.ts';
import { Button, Notice, Reason } from './controls.tsx';
import { ActionDialog } from './dialog.tsx';
import { actOnEach } from './each.ts';
import { companyOf, form } from './format.ts';

const VERBS = ['retry', 'resolve', 'abort', 'dismiss'] as const;
export type Verb = (typeof VERBS)[number];
type Row = Pick<OrderRow, 'orderRef' | 'company'> & {
  [Name in 'waitingFor' | 'repair' | 'failure']?: OrderRow[Name] | undefined;
};

/** An action for these orders. A person looks at it once more before it is done. */
export interface Asked {
  verb: Verb;
  rows: Row[];
  /** Set on an order's own page. */
  timeline?: OrderFacts['timeline'];
}

const SHOWN = 12;
/** In place of an orderId: the service does not have the order. */
const NONE = 'none';

/** Why the action cannot be done for the order, as far as the list of orders shows. */
function whyNot(verb: Verb, { waitingFor, repair, failure }: Row) {
  if (waitingFor === 'nobody') return verb === 'retry' && failure === 'DismissedByOperator' ? undefined : 'over';
  if (verb === 'resolve') return repair === 'resolve' ? undefined : 'known';
  if (verb === 'abort') return waitingFor === 'operator' || repair === 'heals' ? 'idle' : undefined;
  if (repair === 'heals') return verb === 'retry' ? undefined : 'heals';
  if (waitingFor !== 'operator') return 'running';
  return verb === 'retry' && repair === 'resolve' ? 'unknown' : undefined;
}

interface ActButtonsProps extends Pick<Asked, 'rows'> {
  verbs?: readonly Verb[];
  look?: 'main' | '';
  onAsk(asked: Asked): void;
}

/** A button for each action that fits any of the orders, with their number. */
export const ActButtons = ({ rows, verbs = VERBS, look, onAsk }: ActButtonsProps) =>
  verbs.map((verb) => {
    const fitting = rows.filter((row) => whyNot(verb, row) === undefined).length;
    const words = `${named(verb, fitting)}…`;
    return fitting > 0 && <Button key={verb} words={words} look={look} onClick={() => onAsk({ verb, rows })} />;
  });

const named = (verb: Verb, count: number) =>
  `${messages.value.actions.names[verb]}: ${form(count, messages.value.table.count)}`;

function namesOf(rows: Row[]): string {
  const names = rows.slice(0, SHOWN).map((row) => [...new Set([companyOf(row), row.orderRef])].join(' '));
  const more = rows.length > SHOWN ? [messages.value.actions.more(rows.length - SHOWN)] : [];
  return [...names, ...more].join(', ');
}

/** Says which orders are left out and why, then acts on the others. */
export function ActDialog({ verb, rows, timeline, onClose }: Asked & { onClose(): void }) {
  const groups = Map.groupBy(rows, (row) => (timeline ? undefined : whyNot(verb, row)));
  const fitting = groups.get(undefined) ?? [];
  const [reason, setReason] = useState('');
  const [says, setSays] = useState(() => fitting.map(({ orderRef }) => `${orderRef},`).join('\n'));
  const { actions: words, order } = messages.value;
  const bodies = bodiesOf(verb, fitting, reason, says);
  const acts = new Map(
    [...bodies].map(([one, body]) => [one, () => call<Done>(`${addressOf(one)}/${verb}`, body)] as const),
  );
  const [{ orderRef } = {}] = rows;
  const name = words.names[verb];
  const { pause } = stage.value ?? {};
  return (
    <ActionDialog
      title={timeline ? `${name}: ${namesOf(rows)}` : named(verb, fitting.length)}
      deed={timeline && orderRef ? { what: verb, orderRef, timeline } : { what: `many ${verb}` }}
      action={timeline ? name : named(verb, bodies.size)}
      isDanger={verb === 'abort' || verb === 'dismiss'}
      isReady={bodies.size > 0 && (verb !== 'dismiss' || reason.trim() !== '')}
      onAct={(tell) => actOnEach(acts, tell)}
      onClose={onClose}
    >
      <p>{words.does[verb]}</p>
      {verb === 'retry' && <Notice tone="people" words={pause && order.paused(pause.reason)} />}
      {[...groups].map(([why, left]) => (
        <Notice key={why} tone="people" words={why && words.leftOut(namesOf(left), words.whyNot[why])} />
      ))}
      {verb === 'dismiss' && <Reason value={reason} onInput={setReason} />}
      {verb === 'resolve' && <Answers text={says} onInput={setSays} />}
      {!timeline && <p class="faint">{namesOf(fitting)}</p>}
    </ActionDialog>
  );
}

/** The service's answer about each order, in a line. */
const Answers = ({ text, onInput }: { text: string; onInput(text: string): void }) => (
  <>
    <label class="field">
      {messages.value.actions.says}
      <textarea rows={6} value={text} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
    </label>
    <Button words={messages.value.actions.hasNone} onClick={() => onInput(text.replaceAll(/,\s*$/gm, `,${NONE}`))} />
  </>
);

/** What is sent of each order: empty if a line is unclear, or two have the same orderId. An order without an answer is left out. */
function bodiesOf(verb: Verb, rows: Row[], reason: string, says: string): Map<string, object> {
  if (verb !== 'resolve') return new Map(rows.map(({ orderRef }) => [orderRef, verb === 'dismiss' ? { reason } : {}]));
  const refs = new Set(rows.map(({ orderRef }) => orderRef));
  const lines = says.split('\n').map((line) => line.trim().split(/[\s,;]+/));
  const given = lines.filter(([orderRef]) => orderRef !== '');
  const said = given.filter(([, orderId]) => orderId);
  const orderIds = said.map(([, orderId = '']) => (orderId.toLowerCase() === NONE ? null : orderId));
  const areUnlike = (names: unknown[]) => new Set(names).size === names.length;
  const isClear =
    given.every(([orderRef = '', , ...more]) => refs.has(orderRef) && more.length === 0) &&
    areUnlike(given.map(([orderRef]) => orderRef)) &&
    areUnlike(orderIds.filter((orderId) => orderId !== null));
  return new Map(isClear ? said.map(([orderRef = ''], at) => [orderRef, { orderId: orderIds[at] }]) : []);
}
