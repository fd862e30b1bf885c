import { Stream } from 'node:stream';

type Callback<Value = void> = (error: Error | null, value?: Value) => void;

/** The part of a key range that dynalite asks for. */
export interface KeyRange {
  gt?: string;
  gte?: string;
  lt?: string;
  lte?: string;
  reverse?: boolean;
  /** -1 for no limit. */
  limit?: number;
}

/** One change of a batch. */
type Change<Value> = { type: 'put'; key: string; value: Value } | { type: 'del'; key: string };

/**
 * What dynalite asks of LevelDB, in a map with sorted keys. Each operation is over when its callback has been called, before the call
 * returns: nothing can come between the read and the write of a conditional change.
 */
export class MemoryItems<Value extends object> {
  readonly #values = new Map<string, Value>();
  readonly #keys: string[] = [];
  readonly #onPut: (value: Value) => void;

  /** @param onPut told of every value that is put. */
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
    this.#delete(key);
    callback(null);
  }

  batch(changes: readonly Change<Value>[], callback: Callback): void {
    for (const change of changes) {
      if (change.type === 'put') this.#set(change.key, change.value);
      else this.#delete(change.key);
    }
    callback(null);
  }

  /** Runs `work` at once: see above. It wraps its own callback with what it is given. */
  lock(_key: string, work: (release: <Wrapped>(callback: Wrapped) => Wrapped) => void): void {
    work((callback) => callback);
  }

  createKeyStream(range: KeyRange = {}): Stream {
    return streamOf(this.#keysIn(range));
  }

  createValueStream(range: KeyRange = {}): Stream {
    return streamOf(this.#keysIn(range).map((key) => this.#values.get(key)));
  }

  #set(key: string, value: Value): void {
    if (!this.#values.has(key)) this.#keys.splice(this.#positionOf(key), 0, key);
    this.#values.set(key, withoutUndefined(value));
    this.#onPut(value);
  }

  #delete(key: string): void {
    if (this.#values.delete(key)) this.#keys.splice(this.#positionOf(key), 1);
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

  /** Of the first key that does not sort before this one. */
  #positionOf(key: string): number {
    let [from, to] = [0, this.#keys.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#keys[middle] as string) < key) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** dynalite gives an index's item every attribute that the index could hold, and counts on JSON to drop those that are not there. */
function withoutUndefined<Value extends object>(value: Value): Value {
  if (!Object.values(value).includes(undefined)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, attribute]) => attribute !== undefined)) as Value;
}

/** dynalite reads by `data` and `end`, and listens only after it has the stream. */
function streamOf(values: readonly unknown[]): Stream {
  const stream = new Stream();
  process.nextTick(() => {
    for (const value of values) stream.emit('data', value);
    stream.emit('end');
  });
  return stream;
}
