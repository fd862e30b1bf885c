/** So many invocations of a function work at the same moment: each has a thread, and more threads than cores would only cost memory. */
const AT_ONCE = 2;

/** Turns of the invocations of one function. One that stands still has none. */
export class Turns {
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  async begin(): Promise<void> {
    if (this.#taken < AT_ONCE) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}
