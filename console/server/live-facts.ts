import type { FactsMessage } from '../api.ts';

/** Sends facts, and from then on only the members that changed. */
export class LiveFacts<Facts extends object> {
  readonly #read: () => Promise<Facts>;
  readonly #send: (message: FactsMessage<Facts>) => void;
  readonly #describe: (error: unknown) => string;
  #sent = new Map<string, string>();
  #isLooking = false;

  constructor(
    read: () => Promise<Facts>,
    send: (message: FactsMessage<Facts>) => void,
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

  #tell(facts: Facts): void {
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
        changed: Object.fromEntries(changed.map((name) => [name, facts[name as keyof Facts] ?? null])) as Partial<
          Record<keyof Facts, unknown>
        >,
        now,
      });
  }
}
