import { listedView } from '../../commands/list.ts';
import { adviceOn, repairOf } from '../../commands/shared/failure-advice.ts';
import { type DoubtfulCreation, type ListedOrder, nextTryOf } from '../../commands/shared/order-details.ts';
import { oldFrom } from '../../commands/shared/order-filter.ts';
import { inPlace } from '../../commands/shared/place.ts';
import type { OrderRecord } from '../../commands/shared/record.ts';
import type { OrderRow, OrdersMessage } from '../api.ts';

export interface OrdersSource {
  record: Pick<OrderRecord, 'list' | 'changedSince' | 'doubtfulCreations'>;
  options: string[];
  /** The least milliseconds between two reads. */
  lookEvery: number;
}

/** Milliseconds by which two reads overlap: another machine's clock may be behind, and the index lags. */
const OVERLAP = 60_000;
/** Milliseconds after which the whole list is read again, so nothing is missed for long. */
const WHOLE_AGAIN = 300_000;
/** Milliseconds after an action that dates no change, in which the whole list is read: the index may lag. */
const SETTLES = 3_000;

/**
 * The list of orders as it changes, for all pages that are open. A look reads the changes since the last one; the whole list is read at
 * first, and every few minutes. While no page asks, nothing is read, and the known orders are kept.
 */
export class OrdersFeed {
  readonly #source: OrdersSource;
  readonly #rows = new Map<string, { row: OrderRow; version: number }>();
  /** Milliseconds; 0 while the list must be read again. */
  #wholeAt = 0;
  #wholeUntil = 0;
  #lookedAt = 0;
  /** Of the last change, and of the first one that a page must know to be told changes only. Later than those of a console before this one. */
  #version = 0;
  #first = 0;
  /** The newest change that was known before the last look, which may have missed an order that moved during it. */
  #knownBefore = '';
  #look: Promise<void> | undefined;

  constructor(source: OrdersSource) {
    this.#source = source;
  }

  /** The orders that changed after a version; all of them if the version is too old. */
  async since(known: number): Promise<OrdersMessage> {
    await this.#lookAgain();
    const isWhole = known < this.#first || known > this.#version;
    const found = [...this.#rows.values()].filter(({ version }) => isWhole || version > known);
    return { version: this.#version, isWhole, rows: found.map(({ row }) => row) };
  }

  /** Reads everything soon: an operator changed something that is not dated as a change of the order. */
  readAgain(): void {
    this.#wholeUntil = Date.now() + SETTLES;
  }

  /** Looks that are asked for at the same time are one. */
  #lookAgain(): Promise<void> {
    if (this.#wholeAt > 0 && Date.now() - this.#lookedAt < this.#source.lookEvery) return Promise.resolve();
    this.#look ??= this.#lookOnce().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async #lookOnce(): Promise<void> {
    try {
      await this.#read();
      this.#lookedAt = Date.now();
    } catch (error) {
      // The next look reads everything, so no change is missed.
      this.#wholeAt = 0;
      throw error;
    }
  }

  async #read(): Promise<void> {
    const isFirst = this.#wholeAt === 0;
    const isAgain = Date.now() - this.#wholeAt > WHOLE_AGAIN || Date.now() < this.#wholeUntil;
    const isWhole = this.#knownBefore === '' || isAgain;
    const known = this.#newest();
    const began = new Date().toISOString();
    const found = await (isWhole ? this.#source.record.list() : this.#recent());
    const creations = await this.#source.record.doubtfulCreations(found);
    const isAnyGone = isWhole && this.#forget(found);
    const changed = found
      .map((order) => this.row(order, creations.get(order.orderRef)))
      .filter((row) => this.#isNews(row, isWhole));
    if (isFirst || isAnyGone || changed.length > 0) this.#version = Math.max(Date.now(), this.#version + 1);
    if (isFirst || isAnyGone) this.#first = this.#version;
    for (const row of changed) this.#rows.set(row.orderRef, { row, version: this.#version });
    if (isWhole) this.#wholeAt = Date.now();
    this.#knownBefore = known || earlierOf(began, this.#newest());
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
    for (const { row } of this.#rows.values()) if (row.changedAt > newest) newest = row.changedAt;
    return newest;
  }

  /**
   * Whether the row changes what is known. One that is dated earlier is ignored, because a lagging index may return it. In a whole list it
   * counts all the same: a machine whose clock was behind may have dated the last change. If that list lagged, the next look corrects it.
   */
  #isNews(row: OrderRow, isWhole: boolean): boolean {
    const known = this.#rows.get(row.orderRef)?.row;
    if (!known) return true;
    return (isWhole || row.changedAt >= known.changedAt) && JSON.stringify(row) !== JSON.stringify(known);
  }

  row(order: ListedOrder, creation?: DoubtfulCreation): OrderRow {
    const words = (language: 'en' | 'ru') => {
      // The same sentence for all orders of a group.
      const { happened, step } = adviceOn({ ...order, orderRef: '<orderRef>', creation }, language);
      return inPlace(`${happened} ${step}`, this.#source.options);
    };
    const from = oldFrom(order);
    const repair = repairOf({ ...order, creation });
    return {
      ...listedView(order),
      repair,
      nextTry: nextTryOf(order)?.at,
      ...((order.failure || repair) && { advice: [words('en'), words('ru')] }),
      ...(from !== undefined && { oldFrom: new Date(from).toISOString() }),
    };
  }
}

const earlierOf = (one: string, other: string) => (one < other ? one : other);
