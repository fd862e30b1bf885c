import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { language, messages } from '../messages/language.ts';
import { ChoiceField } from '../parts/controls.tsx';
import { form } from '../parts/format.ts';
import { useTitle } from '../parts/hooks.ts';
import { now } from '../state/clock.ts';
import { orders, stalled } from '../state/stage.ts';
import { countQueues, type Filter, filterAddress, filterFrom, matchingOrders, type Queue, SORTS } from './filter.ts';
import { Queues, Search } from './filters.tsx';
import { OrdersTable } from './orders-table.tsx';
import { RetryMany } from './retry-many.tsx';

export function OrdersPage() {
  const { query, route } = useLocation();
  const words = messages.value;
  useTitle(words.orders);
  const filter = filterFrom(query);
  useQueue(filter.queue, (queue) => route(filterAddress({ ...filter, queue }), true));
  const change = (changes: Partial<Filter>) => route(filterAddress({ ...filter, ...changes }), true);
  // Ages are compared once a minute: sorting 10,000 orders at each tick of the clock would be noticeable.
  const minute = Math.floor(now.value / 60_000) * 60_000;
  const all = orders.value;
  const { search, queue, sort } = filter;
  const found = useMemo(
    () => (all ? matchingOrders(all.values(), filter, minute) : []),
    [all, search, queue, sort, minute, language.value],
  );
  const counts = useMemo(() => countQueues(all?.values() ?? [], queue, minute), [all, queue, minute]);
  const isFiltered = search !== '' || queue !== 'all';
  return (
    <section class="orders">
      <h1 class="hidden">{words.orders}</h1>
      <Queues filter={filter} counts={counts} />
      <div class="above">
        <Search value={search} onChange={(text) => change({ search: text })} />
        <p role="status">{all ? form(found.length, words.table.count) : words.loading}</p>
        {queue === 'repair' && <RetryMany rows={found} />}
        <div class="sort">
          {words.table.sort}
          <ChoiceField
            label={words.table.sort}
            value={filter.sort}
            names={SORTS}
            text={(name) => words.table.sorts[name as Filter['sort']]}
            onChange={(sort) => change({ sort: sort as Filter['sort'] })}
          />
        </div>
      </div>
      {all && found.length === 0 ? (
        <Nothing isFiltered={isFiltered} />
      ) : (
        <OrdersTable rows={found} isLoading={!all && !stalled.value} />
      )}
    </section>
  );
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
