import { computed, signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Failure, OrderFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { addressOf, CallFailed, call } from '../state/call.ts';
import { now } from '../state/clock.ts';
import { stage, stalled } from '../state/stage.ts';
import { Button, Moment, Notice } from './controls.tsx';
import { exactTime } from './format.ts';

/** Prefixes of the timeline lines that prove an action. */
const TRACES: Record<string, string> = {
  retry: 'An operator asked for a retry',
  abort: 'An operator asked to abort',
  dismiss: 'An operator dismissed',
  resolve: 'An operator says that the order was ',
  decision: 'A decision ',
  signatures: 'A signature ',
  submit: 'Package accepted',
};

/** A person's action that changes something. Without an order, it concerns several. */
export interface Deed {
  what: string;
  title: string;
  orderRef?: string;
  /** The timeline as the person saw it. Not stored. */
  timeline?: OrderFacts['timeline'];
  /** How many traces the action adds (default: 1). In a stored action, how many the order then has. */
  traces?: number;
}

/** An action, stored before it is sent and until the person has seen the outcome. */
interface Sent extends Deed {
  id: string;
  at: string;
  /** The options of the stage. */
  place: string | undefined;
  /** The ID of the page load that waits for the answer. */
  page?: string | undefined;
  /** Absent while the outcome is unknown. */
  end?: 'done' | 'refused';
  said?: string | Failure;
}

export type Tell = (progress: string) => void;
/** Runs an action, reports its progress, and returns a sentence about what was done. */
export type Work = (tell: Tell) => Promise<string>;

const PAGE = crypto.randomUUID();
const KEPT = 'loan-orders-sent';
const LOOK_EVERY = 2_000;

// All tabs share it, and it survives a reload.
const read = () => JSON.parse(localStorage.getItem(KEPT) ?? '[]') as Sent[];
const all = signal(read());
const here = computed(() => all.value.filter(({ place = stage.value?.options }) => place === stage.value?.options));
export const sentOf = (what: string, orderRef: string | undefined) =>
  here.value.filter((one) => one.what === what && one.orderRef === orderRef);
/** IDs of actions that a dialog or another part of the page shows. */
const shown = signal<readonly string[]>([]);

function keep(next: Sent[]): void {
  localStorage.setItem(KEPT, JSON.stringify(next));
  all.value = next;
}
const change = (id: string, changes: Partial<Sent>) =>
  keep(read().map((one) => (one.id === id ? { ...one, ...changes } : one)));
const forget = (id: string) => keep(read().filter((one) => one.id !== id));

const stateOf = ({ end, page }: Sent) => end ?? (page === PAGE ? 'underWay' : 'unknown');
const tracesOf = (deed: string, timeline: OrderFacts['timeline'] = []) =>
  timeline.filter(({ what }) => TRACES[deed] !== undefined && what.startsWith(TRACES[deed]));

/** Stores the action before sending it. Returns its id. */
function send({ timeline, traces = 1, ...deed }: Deed, work: Work): string {
  const id = crypto.randomUUID();
  const fixed = { id, at: new Date(now.value).toISOString(), place: stage.value?.options, page: PAGE };
  keep([...read(), { ...deed, ...fixed, traces: tracesOf(deed.what, timeline).length + traces }]);
  work((said) => change(id, { said })).then(
    (said) => change(id, { end: 'done', said }),
    (error: CallFailed) => {
      const isRefused = error.status >= 400 && error.status < 500;
      change(id, { said: error.refused, page: undefined, ...(isRefused && { end: 'refused' }) });
      if (!(error instanceof CallFailed)) throw error;
    },
  );
  return id;
}

/** Checks the orders for outcomes of actions without an answer. */
async function look(): Promise<void> {
  for (const { id, what, orderRef, traces = 1 } of here.value.filter((one) => stateOf(one) === 'unknown')) {
    const facts = orderRef && (await call<OrderFacts>(addressOf(orderRef)).catch(() => undefined));
    const trace = facts && tracesOf(what, facts.timeline)[traces - 1];
    if (!trace) continue;
    const said = messages.value.sent.shown(messages.value.happened(trace.what), exactTime(trace.at));
    change(id, { said, end: trace.what.includes('rejected') ? 'refused' : 'done' });
  }
  setTimeout(look, LOOK_EVERY);
}
look();

/** Runs an action and shows its outcome in place. Once that part is closed, the bar shows it on every page. */
export function useSent(deed: Deed) {
  // A dialog that is opened again shows the action in progress.
  const [adopted] = useState(() => sentOf(deed.what, deed.orderRef).find((one) => stateOf(one) === 'underWay')?.id);
  const [id, setId] = useState(adopted);
  useLayoutEffect(() => {
    if (id === undefined) return undefined;
    shown.value = [...shown.value, id];
    return () => {
      shown.value = shown.value.filter((one) => one !== id);
      if (read().some((one) => one.id === id && one.end)) forget(id);
    };
  }, [id]);
  const came = here.value.find((one) => one.id === id);
  // Another tab may have removed it.
  const state = came ? stateOf(came) : id && 'unknown';
  const isFree = state !== 'underWay' && (state !== 'unknown' || typeof stalled.value !== 'string');
  return { came, state, isAdopted: id === adopted, isFree, act: (work: Work) => setId(send(deed, work)) };
}

const TONES = { done: 'good', refused: 'bad', unknown: 'bad', underWay: 'people' } as const;

export function Outcome({ one }: { one: Sent | undefined }) {
  const words = messages.value.sent;
  if (!one) return null;
  const { orderRef, said } = one;
  const state = stateOf(one);
  const address = `/orders/${orderRef}`;
  return (
    <>
      <Notice tone={TONES[state]} words={typeof said === 'object' ? messages.value.failure(said) : said} />
      <Notice tone="people" words={state === 'underWay' || state === 'unknown' ? words[state] : undefined} />
      {orderRef && state !== 'underWay' && location.pathname !== address && <a href={address}>{words.follow}</a>}
    </>
  );
}

/** Actions that are shown nowhere else, until the person removes them. */
export const SentList = () => (
  <div class="notices" role="status">
    {here.value
      .filter(({ id }) => !shown.value.includes(id))
      .map((one) => (
        <div key={one.id} class="sent">
          <strong>{one.title}</strong> <Moment at={one.at} />
          <Outcome one={one} />{' '}
          {stateOf(one) !== 'underWay' && <Button words={messages.value.sent.forget} onClick={() => forget(one.id)} />}
        </div>
      ))}
  </div>
);
