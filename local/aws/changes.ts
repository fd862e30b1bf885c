import type { JsonObject } from './protocol/json.ts';

/** Something that was stored: a version of an object, or an item as DynamoDB's JSON has it. */
export type Change =
  | { type: 'object'; bucket: string; key: string }
  | { type: 'item'; table: string; item: JsonObject };

export type ChangeListener = (change: Change) => void;

/** Tells listeners in this process of every change, so that nobody has to list everything to find what is new. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();

  /** Answers what ends the listening. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
