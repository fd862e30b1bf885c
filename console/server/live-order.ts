import type { OrderFacts, OrderMessage } from '../api.ts';

/**
 * Sends the facts of an order, and from then on only the members that changed.
 */
export class LiveOrder {
  readonly #read: () => Promise<OrderFacts>;
  readonly #send: (message: OrderMessage) => void;
  readonly #describe: (error: unknown) => string;
  #sent = new Map<string, string>();
  #isLooking = false;

  constructor(
    read: () => Promise<OrderFacts>,
    send: (message: OrderMessage) => void,
    describe: (error: unknown) => string,
  ) {
    this.#read = read;
    this.#send = send;
    this.#describe = describe;
  }

  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.#tell(await this.#read());
    } catch (error) {
      this.#sent = new Map();
      this.#send({ failed: this.#describe(error) });
    } finally {
      this.#isLooking = false;
    }
  }

  #tell(facts: OrderFacts): void {
    const texts = new Map(Object.entries(facts).map(([name, value]) => [name, JSON.stringify(value)]));
    const names = new Set([...texts.keys(), ...this.#sent.keys()]);
    const changed = [...names].filter((name) => texts.get(name) !== this.#sent.get(name));
    const isFirst = this.#sent.size === 0;
    this.#sent = texts as Map<string, string>;
    if (changed.length === 0) return;
    const now = new Date().toISOString();
    if (isFirst) this.#send({ all: facts, now });
    else
      this.#send({
        changed: Object.fromEntries(changed.map((name) => [name, facts[name as keyof OrderFacts] ?? null])),
        now,
      });
  }
}
