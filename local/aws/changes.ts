import type { JsonObject } from './protocol/json.ts';

/** Something that was stored: a version of an object, or an item in DynamoDB's JSON. */
export type Change =
  | { type: 'object'; bucket: string; key: string }
  | { type: 'item'; table: string; item: JsonObject };

export type ChangeListener = (change: Change) => void;

/** Notifies listeners in this process of every change, which saves them from listing buckets and tables. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();

  /** Returns a function that removes the listener. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
