import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { OrderRow } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { Heads, Moment } from '../parts/controls.tsx';
import { ago, companyOf, statusWords, sumOf, toneOf } from '../parts/format.ts';
import { PHONE, useKeys, useMedia, useVirtual } from '../parts/hooks.ts';
import { now } from '../state/clock.ts';
import { isLongUnchanged } from './filter.ts';

/** Heights of a row in pixels; style/orders.css has the same. */
const ROW = 52;
const CARD = 76;

/** References of the orders that the person has chosen. */
export const chosen = signal<ReadonlySet<string>>(new Set());

function choose(orderRef: string): void {
  const others = new Set(chosen.value);
  if (!others.delete(orderRef)) others.add(orderRef);
  chosen.value = others;
}

/** The orders as a table. Only visible rows are rendered. */
export function OrdersTable({
  rows,
  isLoading,
  isEnded,
}: Record<'isLoading' | 'isEnded', boolean> & { rows: OrderRow[] }) {
  const size = useMedia(PHONE) ? CARD : ROW;
  const { frame, virtual } = useVirtual(rows.length, size);
  // Paper has all rows.
  const isPrinted = useMedia('print');
  const items = isPrinted
    ? rows.map((_, index) => ({ index, start: 0, end: virtual.getTotalSize() }))
    : virtual.getVirtualItems();
  const words = messages.value.table;
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const move = (event: KeyboardEvent) => {
    // The key's place, so that a Russian keyboard has them too.
    const step = { ArrowDown: 1, ArrowUp: -1, KeyJ: 1, KeyK: -1 }[event.code];
    const row = (event.target as HTMLElement).closest('tr');
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.code === 'KeyX' && row) return choose(rows[Number(row.dataset.index)]?.orderRef ?? '');
    if (step === undefined || !row) return;
    event.preventDefault();
    const next = Number(row.dataset.index) + step;
    if (next < 0 || next >= rows.length) return;
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(`tr[data-index="${next}"] a`)?.focus());
  };
  // Arrow down leads into the table, from the search field or if nothing has the focus: to the row that was left.
  useKeys((event) => {
    const isOutside = event.target instanceof Element && event.target.matches('body, main, .search');
    if (event.key !== 'ArrowDown' || !isOutside) return;
    event.preventDefault();
    const row = frame.current?.querySelector<HTMLElement>(`a[href$="/${lastOpened}"]`);
    (row ?? frame.current?.querySelector<HTMLElement>('tr[data-index] a'))?.focus();
  });
  useLastRow(rows, isLoading, virtual);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows are links, and this is only the keyboard's way from one to the next
    <div class="frame" ref={frame} onKeyDown={move} aria-busy={isLoading}>
      <table class="list" aria-label={messages.value.orders} aria-rowcount={rows.length + 1}>
        <Heads
          names={[
            words.choose,
            words.order,
            words.sum,
            words.status,
            words.bank,
            words.submitted,
            isEnded ? words.ended : words.since,
            words.due,
          ]}
          looks={['pick', 'ref', 'sum', 'status', 'bank', 'begun', 'age', 'due']}
        />
        <tbody>
          {before > 0 && <Gap height={before} />}
          {items.map(({ index }) => {
            const row = rows[index];
            return row && <Line key={row.orderRef} row={row} index={index} />;
          })}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
    </div>
  );
}

/** Back from an order, the table shows its row. */
function useLastRow(rows: OrderRow[], isLoading: boolean, virtual: { scrollToIndex(index: number): void }): void {
  useEffect(() => {
    const index = rows.findIndex(({ orderRef }) => orderRef === lastOpened);
    if (index > 0) virtual.scrollToIndex(index);
    return () => {
      lastOpened = location.pathname.replace('/orders/', '');
    };
  }, [isLoading]);
}

let lastOpened = '';

function Gap({ height }: { height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can have the focus
    <tr class="gap" aria-hidden="true">
      <td colSpan={8} style={{ height: `${height}px` }} />
    </tr>
  );
}

function Line({ row, index }: { row: OrderRow; index: number }) {
  const { orderRef, status, changedAt, createdAt, waitingSince, due, bank } = row;
  const advice = row.advice?.[language.value === 'ru' ? 1 : 0];
  const words = messages.value.table;
  const old = isLongUnchanged(row, now.value);
  const company = companyOf(row);
  return (
    <tr data-index={index} aria-rowindex={index + 2}>
      <td class="pick">
        <input
          type="checkbox"
          aria-label={words.chooseOne(orderRef)}
          title={words.chooseKey}
          tabIndex={-1}
          checked={chosen.value.has(orderRef)}
          onChange={() => choose(orderRef)}
        />
      </td>
      <th scope="row" class="ref">
        <a href={`/orders/${orderRef}`}>{company}</a>
        {company !== orderRef && <span class="faint">{orderRef}</span>}
      </th>
      <td class="sum">{sumOf(row)}</td>
      <td class="status" title={advice}>
        <span class={`tone ${toneOf(row)}`}>{statusWords(status)}</span>
        {advice !== undefined && (
          <span class={row.repair === 'heals' ? 'faint' : 'failure'}>
            {row.nextTry !== undefined && words.nextTry(ago(row.nextTry, now.value))} {advice}
          </span>
        )}
      </td>
      <td class="bank">{bank}</td>
      <td class="begun">{createdAt !== undefined && <Moment at={createdAt} />}</td>
      <td class={`age ${old ? 'old' : ''}`}>
        <Moment at={waitingSince ?? changedAt} />
        {old && <span class="hidden"> {words.tooLong}</span>}
      </td>
      <td class="due">{due !== undefined && <Moment at={due} />}</td>
    </tr>
  );
}
