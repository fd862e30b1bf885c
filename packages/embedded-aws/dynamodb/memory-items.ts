import { Readable } from 'node:stream';
import { positionIn } from '../sorted-list.ts';

type Callback<Value = void> = (error: Error | null, value?: Value) => void;

/** A range of keys, with the options that dynalite uses. */
export interface KeyRange {
  gt?: string;
  gte?: string;
  lt?: string;
  lte?: string;
  reverse?: boolean;
  /** -1 for no limit. */
  limit?: number;
}

/**
 * The part of LevelDB's interface that dynalite uses, in memory with sorted keys. Operations call their callback before they
 * return, so the read and write of a conditional change are atomic.
 */
export class MemoryItems<Value extends object> {
  readonly #values = new Map<string, Value>();
  readonly #keys: string[] = [];
  readonly #onPut: (value: Value) => void;

  constructor(onPut: (value: Value) => void = () => undefined) {
    this.#onPut = onPut;
  }

  get(key: string, callback: Callback<Value>): void {
    callback(null, this.#values.get(key));
  }

  put(key: string, value: Value, callback: Callback): void {
    this.#set(key, value);
    callback(null);
  }

  del(key: string, callback: Callback): void {
    if (this.#values.delete(key)) this.#keys.splice(this.#positionOf(key), 1);
    callback(null);
  }

  copyTo(other: MemoryItems<Value>): void {
    for (const [key, value] of this.#values) other.#set(key, value);
  }

  /** Runs `work` at once, because no lock is needed. dynalite's `work` expects a function that wraps its callback. */
  lock(_key: string, work: (release: <Wrapped>(callback: Wrapped) => Wrapped) => void): void {
    work((callback) => callback);
  }

  createValueStream(range: KeyRange = {}): Readable {
    return Readable.from(this.#keysIn(range).map((key) => this.#values.get(key)));
  }

  #set(key: string, value: Value): void {
    if (!this.#values.has(key)) this.#keys.splice(this.#positionOf(key), 0, key);
    this.#values.set(key, withoutUndefined(value));
    this.#onPut(value);
  }

  #keysIn({ gt, gte, lt, lte, reverse = false, limit = -1 }: KeyRange): string[] {
    const from = gt !== undefined ? this.#positionAfter(gt) : this.#positionOf(gte ?? '');
    const end = lt !== undefined ? this.#positionOf(lt) : undefined;
    const to = lte !== undefined ? this.#positionAfter(lte) : end;
    const keys = this.#keys.slice(from, to);
    if (reverse) keys.reverse();
    return limit < 0 ? keys : keys.slice(0, limit);
  }

  #positionAfter(key: string): number {
    return this.#positionOf(key) + (this.#values.has(key) ? 1 : 0);
  }

  #positionOf(key: string): number {
    return positionIn(this.#keys, (other) => other < key);
  }
}

/** Removes undefined attributes. dynalite leaves them in index items and relies on JSON to drop them. */
function withoutUndefined<Value extends object>(value: Value): Value {
  if (!Object.values(value).includes(undefined)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, attribute]) => attribute !== undefined)) as Value;
}
