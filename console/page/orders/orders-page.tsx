import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { EndedOrders, OrderRow } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { ActButtons, ActDialog, type Asked } from '../parts/act.tsx';
import { Button, ChoiceField, Notice } from '../parts/controls.tsx';
import { form, lastMonths, monthName } from '../parts/format.ts';
import { useLive, useTitle } from '../parts/hooks.ts';
import { now } from '../state/clock.ts';
import { orders, stalled } from '../state/stage.ts';
import { countQueues, type Filter, filterAddress, filterFrom, matchingOrders, type Queue, SORTS } from './filter.ts';
import { Queues, Search } from './filters.tsx';
import { chosen, OrdersTable } from './orders-table.tsx';
import { Repairs } from './repair.tsx';

export function OrdersPage() {
  const { query, route } = useLocation();
  const words = messages.value;
  useTitle(words.orders);
  const filter = filterFrom(query);
  useQueue(filter.queue, (queue) => route(filterAddress(filter, queue), true));
  const change = (changes: Partial<Filter>) => route(filterAddress({ ...filter, ...changes }), true);
  const path = filter.month ? `/api/ended?month=${filter.month}` : undefined;
  const { facts: ended, failed } = useLive<EndedOrders>(path, 'once');
  // Ages are compared once a minute: sorting 10,000 orders at each tick of the clock would be noticeable.
  const minute = Math.floor(now.value / 60_000) * 60_000;
  const all = orders.value;
  const { search, queue, sort, month } = filter;
  const found = useMemo(
    () => matchingOrders(month ? (ended?.rows ?? []) : (all?.values() ?? []), filter, minute),
    [all, ended, month, search, queue, sort, minute, language.value],
  );
  const counts = useMemo(() => countQueues(all?.values() ?? [], queue, minute), [all, queue, minute]);
  const [asked, ask] = useState<Asked>();
  const isFiltered = search !== '' || queue !== 'all';
  const isLoading = month ? !ended && !failed : !all && !stalled.value;
  return (
    <section class="orders">
      <h1 class="hidden">{words.orders}</h1>
      <Queues filter={filter} counts={counts} />
      <div class="above">
        <Search value={search} onChange={(text) => change({ search: text })} />
        <ChoiceField
          label={words.table.sort}
          value={sort}
          names={SORTS}
          text={(name) => words.table.sorts[name as Filter['sort']]}
          onChange={(name) => change({ sort: name as Filter['sort'] })}
        />
        {queue === 'closed' && <Months value={month} onChange={(name) => change({ month: name })} />}
        {queue === 'closed' && <a href={month ? `/report?month=${month}` : '/report'}>{words.report.link}</a>}
        <p role="status">{isLoading ? words.loading : form(found.length, words.table.count)}</p>
        <Chosen found={found} queue={queue} onAsk={ask} />
      </div>
      {asked && <ActDialog {...asked} onClose={() => ask(undefined)} />}
      {queue === 'repair' && found.length > 0 && <Repairs rows={found} onAsk={ask} />}
      <Notice words={failed} />
      {ended?.isCut && <Notice tone="people" words={words.table.cut(ended.rows.length)} />}
      {!isLoading && found.length === 0 ? (
        <Nothing isFiltered={isFiltered} />
      ) : (
        <OrdersTable rows={found} isLoading={isLoading} isEnded={queue === 'closed'} />
      )}
    </section>
  );
}

/** What can be done with the chosen orders. */
function Chosen({ found, queue, onAsk }: { found: OrderRow[]; queue: Queue; onAsk(asked: Asked): void }) {
  const words = messages.value.table;
  const rows = found.filter(({ orderRef }) => chosen.value.has(orderRef));
  const toSign = rows.filter(({ waitingFor }) => waitingFor === 'signatures').map(({ orderRef }) => orderRef);
  if (rows.length === 0 && queue === 'sign')
    return (
      <a class="button" href="/sign">
        {words.signAll}
      </a>
    );
  if (rows.length === 0) return null;
  const clear = () => {
    chosen.value = new Set();
  };
  return (
    <>
      <strong>{words.chosen(rows.length)}</strong>
      {toSign.length > 0 && (
        <a class="button" href={`/sign?orders=${toSign.join()}`}>
          {words.signChosen(form(toSign.length, words.count))}
        </a>
      )}
      <ActButtons rows={rows} onAsk={onAsk} />
      <Button words={words.chooseNone} onClick={clear} />
    </>
  );
}

function Months({ value, onChange }: { value: string; onChange(month: string): void }) {
  const words = messages.value.table;
  const names = ['', ...lastMonths(now.value)];
  const text = (name: string) => (name === '' ? words.last : monthName(name));
  return <ChoiceField label={words.month} value={value} names={names} text={text} onChange={onChange} />;
}

/** Remembers whose orders are shown: the page opens with the same queue, unless its address has a filter. */
function useQueue(queue: Queue, open: (queue: Queue) => void): void {
  const isFirst = useRef(true);
  // A layout effect, so it is saved even if the person leaves the page immediately.
  useLayoutEffect(() => {
    const kept = filterFrom({ queue: localStorage.getItem(KEPT) ?? '' }).queue;
    if (isFirst.current && kept !== 'all' && location.search === '') open(kept);
    else localStorage.setItem(KEPT, queue);
    isFirst.current = false;
  }, [queue]);
}

const KEPT = 'loan-orders-queue';

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const words = messages.value.table;
  return (
    <div class="empty">
      <h2>{isFiltered ? words.noMatch : words.none}</h2>
      <p>{isFiltered ? <a href="/">{words.clear}</a> : <a href="/submit">{words.firstOrder}</a>}</p>
    </div>
  );
}
