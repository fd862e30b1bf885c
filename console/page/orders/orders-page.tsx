import { useComputed } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { OrderRow } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { ChoiceField } from '../parts/controls.tsx';
import { form } from '../parts/format.ts';
import { useTitle } from '../parts/hooks.ts';
import { now } from '../state/clock.ts';
import { orders, stalled } from '../state/stage.ts';
import { Counts } from './counts.tsx';
import { type Filter, filterAddress, filterFrom, isFiltered, matchingOrders, SORTS } from './filter.ts';
import { Filters } from './filters.tsx';
import { OrdersTable } from './orders-table.tsx';
import { RetryMany } from './retry-many.tsx';

export function OrdersPage() {
  const { query, route } = useLocation();
  const words = messages.value;
  useTitle(words.orders);
  const filter = filterFrom(query);
  useQueue(filter.waitingFor, (waitingFor) => route(filterAddress({ ...filter, waitingFor }), true));
  const change = (changes: Partial<Filter>) => route(filterAddress({ ...filter, ...changes }), true);
  const options = useComputed(() => namesIn([...(orders.value?.values() ?? [])]));
  // Ages are compared once a minute: sorting 10,000 orders at each tick of the clock would be noticeable.
  const minute = Math.floor(now.value / 60_000) * 60_000;
  const all = orders.value;
  const found = useMemo(
    () => (all ? matchingOrders(all.values(), filter, minute) : []),
    [all, JSON.stringify(filter), minute],
  );
  return (
    <section class="orders">
      <h1 class="hidden">{words.orders}</h1>
      <Filters filter={filter} options={options.value} onChange={change} />
      {all && all.size > 0 && <Counts rows={all} filter={filter} onChange={change} />}
      <div class="above">
        <p role="status">{all ? form(found.length, words.table.count) : words.loading}</p>
        {isFiltered(filter) && (
          <a class="clear" href={filterAddress({ ...filterFrom({}), sort: filter.sort })}>
            {words.table.clear}
          </a>
        )}
        <RetryMany rows={found} isOffered={filter.waitingFor === 'operator' || filter.failure !== '' || filter.stuck} />
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
        <Nothing isFiltered={isFiltered(filter)} />
      ) : (
        <OrdersTable rows={found} isLoading={!all && !stalled.value} />
      )}
    </section>
  );
}

/** Remembers whose orders are shown: the page opens with the same queue, unless its address has a filter. */
function useQueue(waitingFor: string, open: (waitingFor: string) => void): void {
  const isFirst = useRef(true);
  // A layout effect, so it is saved even if the person leaves the page immediately.
  useLayoutEffect(() => {
    const kept = localStorage.getItem(KEPT) ?? '';
    if (isFirst.current && kept !== '' && location.search === '') open(kept);
    else localStorage.setItem(KEPT, waitingFor);
    isFirst.current = false;
  }, [waitingFor]);
}

const KEPT = 'loan-orders-queue';

function Nothing({ isFiltered: narrowed }: { isFiltered: boolean }) {
  const words = messages.value.table;
  return (
    <div class="empty">
      <h2>{narrowed ? words.noMatch : words.none}</h2>
      <p>{narrowed ? <a href="/">{words.clear}</a> : <a href="/submit">{words.firstOrder}</a>}</p>
    </div>
  );
}

function namesIn(rows: OrderRow[]) {
  const names = (what: 'status' | 'waitingFor' | 'failure') =>
    [...new Set(rows.flatMap((row) => row[what] ?? []))].sort();
  return { status: names('status'), waitingFor: names('waitingFor'), failure: names('failure') };
}
