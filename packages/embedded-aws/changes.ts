import type { JsonObject } from './protocol/operation.ts';

/** A change of stored data: a new object version, an item (DynamoDB JSON), an event on a bus, or a message to a topic. */
export type Change =
  | { type: 'object'; bucket: string; key: string }
  | { type: 'item'; table: string; item: JsonObject }
  | { type: 'event'; bus: string; event: JsonObject }
  | { type: 'message'; topic: string; subscribers: string[]; text: string };

export type ChangeListener = (change: Change) => void;

/** Notifies listeners in this process of every change, so they need not poll buckets and tables. */
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
