import { OWN_FAULT } from '../../../commands/failure.ts';
import { run } from '../../../commands/program.ts';
import { Dice } from '../plan/dice.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { orderAt } from '../world/references.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { Tally } from '../world/tally.ts';

/** The part of the answer of `show` that is used here. */
interface Shown {
  waitingFor: string;
  failure?: { error: string };
  advice?: { command?: string };
}

/** After this many rounds with one order the operator gives up. */
const MOST_ROUNDS = 12;

/** Uses the command line as docs/operations.md says, some time after an order begins to wait for an operator. */
export class Operator {
  readonly #world: SimulatedWorld;
  readonly #rounds = new Tally();
  readonly #retries = new Map<string, readonly number[]>();
  /** The last planned visit for each order. Earlier planned visits do not take place. */
  readonly #expected = new Map<string, symbol>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Called when an execution of the order has ended without success. */
  onEnd(orderRef: string): void {
    const plan = this.#world.plans.get(orderRef);
    if (!plan || plan.operatorAway || this.#expected.has(orderRef)) return;
    const rounds = this.#rounds.add(orderRef);
    if (rounds > MOST_ROUNDS) return;
    const dice = new Dice(orderRef, 'operator', rounds);
    this.#visit(orderRef, dice.between(200, 1800), () => this.#tend(orderRef));
  }

  /** Aborts the running execution, and retries when the plan says. After an immediate retry, one of its functions may still be running. */
  async abort({ orderRef, abort, operatorAway }: OrderPlan): Promise<void> {
    const { code } = await command(this.#world.aws.endpoint, 'abort', orderRef);
    this.#world.operated.add(code === 0 ? 'aborted by an operator' : 'abort refused: nothing was running');
    if (code !== 0 || !abort || operatorAway) return;
    const { retryAfter } = abort;
    const refused = 'retry after an abort that was refused or failed';
    if (retryAfter === 0) return this.#retry(orderRef, 'retried at once after an abort', refused);
    this.#visit(orderRef, retryAfter, () => this.#retry(orderRef, 'retried after an abort', refused));
  }

  /** Replaces an earlier planned visit, so that each end of an execution is retried once. */
  #visit(orderRef: string, seconds: number, act: () => Promise<void>): void {
    const visit = Symbol(orderRef);
    this.#expected.set(orderRef, visit);
    this.#world.schedule.later(seconds, async () => {
      if (this.#expected.get(orderRef) !== visit) return;
      this.#expected.delete(orderRef);
      await act();
    });
  }

  /** The start times of the retries that started an execution, in virtual milliseconds. */
  retries(orderRef: string): readonly number[] {
    return this.#retries.get(orderRef) ?? [];
  }

  /** A refused retry plans another visit, because the end of the execution may already have been reported. */
  async #retry(orderRef: string, name: string, refused: string): Promise<void> {
    const { operated, aws, schedule } = this.#world;
    const at = schedule.now();
    const { code } = await command(aws.endpoint, 'retry', orderRef);
    operated.add(code === 0 ? name : refused);
    if (code === 0) this.#retries.set(orderRef, [...this.retries(orderRef), at]);
    else this.onEnd(orderRef);
  }

  async #tend(orderRef: string): Promise<void> {
    const { operated, simulator, aws } = this.#world;
    const { code: shown, json } = await command(aws.endpoint, 'show', orderRef);
    if (shown !== 0) return this.onEnd(orderRef);
    const { waitingFor, failure, advice } = json as Shown;
    if (waitingFor !== 'operator') return;
    const [, verb = '', ...words] = advice?.command?.split(' ') ?? [];
    if (verb === 'resolve') {
      const found = orderAt(simulator, orderRef);
      const says = found
        ? words.map((word) => word.replace('<orderId>', found.orderId))
        : [orderRef, '--none', '--yes'];
      await command(aws.endpoint, verb, ...says);
      operated.add(`resolved: the order was ${found ? '' : 'not '}created`);
    }
    await this.#retry(orderRef, `retried after ${failure?.error}`, 'retry that was refused or failed');
  }
}

/**
 * Runs a `loan-orders` command as an operator does. It may be refused, or fail because AWS fails. An unexpected error in the command
 * itself ends the simulation.
 */
export async function command(endpoint: string, ...words: string[]): Promise<{ code: number; json: unknown }> {
  const printed: string[] = [];
  const said: string[] = [];
  const streams = { out: (text: string) => void printed.push(text), err: (text: string) => void said.push(text) };
  const code = await run(['--endpoint', endpoint, '--json', ...words], streams);
  if (code === OWN_FAULT) throw new Error(`loan-orders ${words.join(' ')}: ${said.join('')}`);
  return { code, json: code === 0 ? JSON.parse(printed.join('')) : undefined };
}
