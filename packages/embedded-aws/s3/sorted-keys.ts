/** Keys in the order of their UTF-8 bytes, as S3 lists them. They are kept sorted, because sorting for every listing would be slow. */
export class SortedKeys {
  readonly #keys: { key: string; bytes: Buffer }[] = [];

  add(key: string): void {
    const bytes = Buffer.from(key);
    const position = this.#positionOf(bytes);
    if (this.#keys[position]?.key !== key) this.#keys.splice(position, 0, { key, bytes });
  }

  delete(key: string): void {
    const position = this.#positionOf(Buffer.from(key));
    if (this.#keys[position]?.key === key) this.#keys.splice(position, 1);
  }

  startingWith(prefix: string): string[] {
    const found: string[] = [];
    for (let position = this.#positionOf(Buffer.from(prefix)); ; position += 1) {
      const key = this.#keys[position]?.key;
      if (!key?.startsWith(prefix)) return found;
      found.push(key);
    }
  }

  /** The position of the first key that does not sort before these bytes. */
  #positionOf(bytes: Buffer): number {
    let [from, to] = [0, this.#keys.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (Buffer.compare((this.#keys[middle] as { bytes: Buffer }).bytes, bytes) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
