/** The number of invocations of a function that run at once. Each has a thread, and more threads than cores would only use memory. */
const AT_ONCE = 2;

/** Limits how many invocations of one function run at once. A paused invocation does not count. */
export class Turns {
  readonly #atOnce: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce = AT_ONCE) {
    this.#atOnce = atOnce;
  }

  async begin(): Promise<void> {
    if (this.#taken < this.#atOnce) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}
