import { Dice } from '../plan/dice.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { References } from '../world/references.ts';
import type { Schedule } from '../world/schedule.ts';
import type { Tally } from '../world/tally.ts';
import { command } from './command.ts';

export interface OperatorOptions {
  /** Of the embedded AWS. */
  endpoint: string;
  references: References;
  schedule: Schedule;
  plans: ReadonlyMap<string, OrderPlan>;
  /** Counts what had to be done by hand. */
  done: Tally;
}

/** As far as it is used here. */
interface Shown {
  waitingFor: string;
  orderId?: string;
  failure?: { error: string };
  operations: { name: string; state: string }[];
}

/** An operator who is still not through after this many rounds with one order leaves it, with its reason. */
const MOST_ROUNDS = 12;

/** Does by the command line what docs/operations.md says, a while after an order has come to wait for it. */
export class Operator {
  readonly #options: OperatorOptions;
  readonly #rounds = new Map<string, number>();
  readonly #retries = new Map<string, readonly number[]>();
  /** Orders that the operator is about to come to, with the visit that was arranged last: no other one takes place. */
  readonly #expected = new Map<string, symbol>();

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  /** An execution of the order ended without success. */
  onEnd(orderRef: string): void {
    const plan = this.#options.plans.get(orderRef);
    if (!plan || plan.operatorAway || this.#expected.has(orderRef)) return;
    const rounds = (this.#rounds.get(orderRef) ?? 0) + 1;
    this.#rounds.set(orderRef, rounds);
    if (rounds > MOST_ROUNDS) return;
    const dice = new Dice(orderRef, 'operator', rounds);
    this.#visit(orderRef, dice.between(200, 1800), () => this.#tend(orderRef));
  }

  /** Aborts the execution that runs, and retries when the plan says: where that is at once, a function of it may still be at work. */
  async abort({ orderRef, abort, operatorAway }: OrderPlan): Promise<void> {
    const { code } = await command(this.#options.endpoint, 'abort', orderRef);
    this.#options.done.add(code === 0 ? 'aborted by an operator' : 'abort refused: nothing was running');
    if (code !== 0 || !abort || operatorAway) return;
    const { retryAfter } = abort;
    const refused = 'retry after an abort that was refused or failed';
    if (retryAfter === 0) return this.#retry(orderRef, 'retried at once after an abort', refused);
    this.#visit(orderRef, retryAfter, () => this.#retry(orderRef, 'retried after an abort', refused));
  }

  /** Takes the place of a visit that was arranged before: one end of an execution is retried once. */
  #visit(orderRef: string, seconds: number, act: () => Promise<void>): void {
    const visit = Symbol(orderRef);
    this.#expected.set(orderRef, visit);
    this.#options.schedule.later(seconds, async () => {
      if (this.#expected.get(orderRef) !== visit) return;
      this.#expected.delete(orderRef);
      await act();
    });
  }

  /** When the retries of the order began that started an execution, in virtual milliseconds. */
  retries(orderRef: string): readonly number[] {
    return this.#retries.get(orderRef) ?? [];
  }

  /** One that is refused leaves the order to the usual way: the end of its execution may have been told of before. */
  async #retry(orderRef: string, name: string, refused: string): Promise<void> {
    const { done, endpoint, schedule } = this.#options;
    const at = schedule.now();
    const { code } = await command(endpoint, 'retry', orderRef);
    done.add(code === 0 ? name : refused);
    if (code === 0) this.#retries.set(orderRef, [...this.retries(orderRef), at]);
    else this.onEnd(orderRef);
  }

  async #tend(orderRef: string): Promise<void> {
    const { done, references, endpoint } = this.#options;
    const { code: shown, json } = await command(endpoint, 'show', orderRef);
    if (shown !== 0) return this.onEnd(orderRef);
    const { waitingFor, orderId, failure, operations } = json as Shown;
    if (waitingFor !== 'operator') return;
    const creation = operations.find(({ name }) => name === 'create');
    if (creation?.state === 'open' && orderId === undefined) {
      const found = references.order(orderRef);
      const word = found ? ['--order-id', found.orderId] : ['--not-created'];
      await command(endpoint, 'resolve', orderRef, ...word);
      done.add(`resolved: the order was ${found ? '' : 'not '}created`);
    }
    await this.#retry(orderRef, `retried after ${failure?.error}`, 'retry that was refused or failed');
  }
}
