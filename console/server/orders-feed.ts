import { listedView } from '../../commands/list.ts';
import { adviceOn } from '../../commands/shared/failure-advice.ts';
import type { DoubtfulCreation, ListedOrder } from '../../commands/shared/order-details.ts';
import { oldFrom } from '../../commands/shared/order-filter.ts';
import { inPlace } from '../../commands/shared/place.ts';
import type { OrderRecord } from '../../commands/shared/record.ts';
import type { Failure } from '../../commands/shared/refusals.ts';
import type { OrderRow, OrdersMessage } from '../api.ts';

type Send = (message: OrdersMessage) => void;

export interface OrdersSource {
  record: Pick<OrderRecord, 'list' | 'changedSince' | 'doubtfulCreations'>;
  describe(error: unknown): Failure;
  options: string[];
}

/** Milliseconds by which two reads overlap: another machine's clock may be behind, and the index lags. */
const OVERLAP = 60_000;
/** Milliseconds after which the whole list is read again, so nothing is missed for long. */
const WHOLE_AGAIN = 300_000;

/**
 * The list of orders as it changes, for all pages that are open. A poll asks for the changes since the last one; the whole list is read at
 * first, and every few minutes. While no page is open, nothing is read, and the known orders are kept.
 */
export class OrdersFeed {
  readonly #source: OrdersSource;
  readonly #pages = new Set<Send>();
  readonly #rows = new Map<string, OrderRow>();
  /** Milliseconds; 0 while the list must be read again. */
  #wholeAt = 0;
  /** The newest change that was known before the last poll, which may have missed an order that moved during it. */
  #knownBefore = '';
  #look: Promise<void> | undefined;
  #failure: Failure = { error: '' };

  constructor(source: OrdersSource) {
    this.#source = source;
  }

  /** Sends all orders, and then each change. Returns a function that stops it. */
  async open(send: Send): Promise<() => void> {
    if (this.#pages.size === 0 || this.#wholeAt === 0) await this.look(true);
    if (this.#wholeAt > 0) send(this.#all());
    else send({ failed: this.#failure });
    this.#pages.add(send);
    return () => this.#pages.delete(send);
  }

  /** Polls once, and sends every page the changes. Concurrent polls are merged. Nothing is read while no page is open. */
  look(isAsked = false): Promise<void> {
    if (!isAsked && this.#pages.size === 0) return Promise.resolve();
    this.#look ??= this.#lookOnce().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async #lookOnce(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      // The next poll reads everything, so no change is missed.
      this.#wholeAt = 0;
      this.#failure = this.#source.describe(error);
      this.#tell({ failed: this.#failure });
    }
  }

  async #read(): Promise<void> {
    const isFirst = this.#wholeAt === 0;
    const isWhole = this.#knownBefore === '' || Date.now() - this.#wholeAt > WHOLE_AGAIN;
    const known = this.#newest();
    const began = new Date().toISOString();
    const found = await (isWhole ? this.#source.record.list() : this.#recent());
    const creations = await this.#source.record.doubtfulCreations(found);
    const isAnyGone = isWhole && this.#forget(found);
    const changed = found
      .map((order) => this.#row(order, creations.get(order.orderRef)))
      .filter((row) => this.#isNews(row, isWhole));
    for (const row of changed) this.#rows.set(row.orderRef, row);
    if (isWhole) this.#wholeAt = Date.now();
    this.#knownBefore = known || earlierOf(began, this.#newest());
    if (isFirst || isAnyGone) this.#tell(this.#all());
    else if (changed.length > 0) this.#tell({ changed, now: new Date().toISOString() });
  }

  #tell(message: OrdersMessage): void {
    for (const send of this.#pages) send(message);
  }

  #all(): OrdersMessage {
    return { all: [...this.#rows.values()], now: new Date().toISOString() };
  }

  /** Removes orders that are not listed any more: other ones ended later. Returns whether there were any. */
  #forget(found: readonly ListedOrder[]): boolean {
    const refs = new Set(found.map(({ orderRef }) => orderRef));
    const gone = [...this.#rows.keys()].filter((orderRef) => !refs.has(orderRef));
    for (const orderRef of gone) this.#rows.delete(orderRef);
    return gone.length > 0;
  }

  #recent(): Promise<ListedOrder[]> {
    // A change dated by a clock that is far ahead must not hide the others.
    const last = Math.min(Date.parse(this.#knownBefore), Date.now());
    return this.#source.record.changedSince(new Date(last - OVERLAP).toISOString());
  }

  /** The time of the last known change; empty while no order is known. */
  #newest(): string {
    let newest = '';
    for (const { changedAt } of this.#rows.values()) if (changedAt > newest) newest = changedAt;
    return newest;
  }

  /**
   * Whether the row changes what is known. One that is dated earlier is ignored, because a lagging index may return it. In a whole list it
   * counts all the same: a machine whose clock was behind may have dated the last change. If that list lagged, the next poll corrects it.
   */
  #isNews(row: OrderRow, isWhole: boolean): boolean {
    const known = this.#rows.get(row.orderRef);
    if (!known) return true;
    return (isWhole || row.changedAt >= known.changedAt) && JSON.stringify(row) !== JSON.stringify(known);
  }

  #row(order: ListedOrder, creation: DoubtfulCreation | undefined): OrderRow {
    const words = (language: 'en' | 'ru') => {
      const { happened, step } = adviceOn({ ...order, creation }, language);
      return inPlace(`${happened} ${step}`, this.#source.options);
    };
    const from = oldFrom(order);
    return {
      ...listedView(order),
      ...(order.failure && { advice: [words('en'), words('ru')] }),
      ...(from !== undefined && { oldFrom: new Date(from).toISOString() }),
    };
  }
}

const earlierOf = (one: string, other: string) => (one < other ? one : other);
