import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type DrivenOrder, examine, isSuspect } from '../../../../core/recovery/abandoned-order.ts';
import { type ListAccess, listRunning } from '../../../../core/recovery/running-list.ts';
import { type Budget, budgetOf, type Progress, walkOn } from '../../../../core/recovery/walk.ts';

const DAY = 86_400;
/** The usual stage: seconds between two sweeps, and `mostStarts`. */
const EVERY = 300;
const MOST_STARTS = 50;
/** Bucket and refill a second: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html, the smaller regions. */
const QUOTAS = { pages: [100, 2], questions: [250, 10] } as const;
/** Assumed seconds of a call, and of an order in a page of 2,200. Of its 150 seconds, a sweep attends to orders for 90. */
const TAKES = { pages: 0.2, questions: 0.05, order: 0.3 / 2_200 };
const MOST_SECONDS = 90;

vi.stubEnv('ORDER_STATE_MACHINE', 'arn:stateMachine:orders');
afterEach(() => void vi.useRealTimers());
afterAll(() => void vi.unstubAllEnvs());

/** A stage as sweeps meet it: orders that wait for the service, oldest first. */
class ModelStage {
  orders: DrivenOrder[] = [];
  readonly secondsUntilFound: number[] = [];
  readonly censuses: number[] = [];
  /** Ends that nobody has recorded, by order. */
  readonly #stopped = new Map<string, { status: string; at: number }>();
  readonly #parts: Uint8Array[] = [];
  readonly #left: Record<keyof typeof QUOTAS, number> = { pages: QUOTAS.pages[0], questions: QUOTAS.questions[0] };
  readonly #progress: Progress<number> = {};
  readonly #milliseconds: number;
  #seconds = 0;
  #came = 0;

  constructor(inFlight: number, perDay: number) {
    this.#milliseconds = (DAY * 1_000) / perDay;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
    this.#come(inFlight);
  }

  #come(count: number): void {
    const begun = Date.now();
    vi.setSystemTime(begun + count * this.#milliseconds);
    for (let at = 0; at < count; at += 1) {
      this.#came += 1;
      const orderRef = `order-${this.#came}`;
      const changedAt = new Date(begun + at * this.#milliseconds).toISOString();
      const names = { orderRef, execution: `arn:execution:orders:${orderRef}-1`, generation: 1 };
      this.orders.push({ ...names, changedAt, status: 'IN_WORK', waitingFor: 'service' });
    }
  }

  stop(orders: readonly DrivenOrder[], status = 'FAILED'): void {
    for (const { orderRef } of orders) this.#stopped.set(orderRef, { status, at: Date.now() });
  }

  async sweep(): Promise<void> {
    this.#seconds = 0;
    const list = await listRunning(this.#progress, this.#listed());
    const walk = this.#progress.walk ?? { census: 0, since: list?.since };
    const budget = budgetOf(MOST_STARTS);
    const census = await walkOn(this.#progress, walk, {
      orders: (whom, after) => this.#waiting(whom, after?.changedAt),
      count: () => {
        this.#seconds += TAKES.order;
        walk.census += 1;
      },
      isSuspect: (order) => isSuspect(order, list),
      pass: () => undefined,
      examine: (order) => this.#examine(order, budget),
      isBudgetLeft: () => budget.questions > 1,
      isTimeLeft: () => this.#seconds < MOST_SECONDS,
    });
    expect(budget.questions).toBeGreaterThanOrEqual(0);
    expect(this.#seconds).toBeLessThan(MOST_SECONDS + 1);
    if (census) this.censuses.push(census);
  }

  /** Until the next sweep, as many orders come as end. */
  untilNext(): void {
    for (const name of ['pages', 'questions'] as const) {
      const [bucket, refill] = QUOTAS[name];
      this.#left[name] = Math.min(bucket, this.#left[name] + refill * (EVERY - this.#seconds));
    }
    const count = Math.floor((EVERY * 1_000) / this.#milliseconds);
    const oldest = this.orders.splice(0, count);
    this.orders.unshift(...oldest.filter(({ orderRef }) => this.#stopped.has(orderRef)));
    this.#come(count);
  }

  #take(name: keyof typeof QUOTAS): void {
    this.#seconds += TAKES[name];
    this.#left[name] += TAKES[name] * QUOTAS[name][1] - 1;
    expect(this.#left[name], `the quota of ${name}`).toBeGreaterThanOrEqual(0);
  }

  /** Newest first, as Step Functions lists them. */
  #listed(): ListAccess {
    return {
      page: async (next = String(this.orders.length)) => {
        this.#take('pages');
        const first = Math.max(0, Number(next) - 1_000);
        const some = this.orders.slice(first, Number(next)).filter(({ orderRef }) => !this.#stopped.has(orderRef));
        const executions = some.map(({ execution = '' }) => execution);
        return { executions, next: first > 0 ? String(first) : undefined };
      },
      save: async (part, digests) => {
        expect(digests.length, 'an item of the table').toBeLessThan(400_000);
        this.#parts[part] = digests;
      },
      load: async (part) => this.#parts[part],
    };
  }

  #waiting(whom: string, after = ''): DrivenOrder[] {
    const first = this.orders.findIndex(({ changedAt }) => changedAt > after);
    return whom === 'service' && first >= 0 ? this.orders.slice(first) : [];
  }

  async #examine(order: DrivenOrder, budget: Budget): Promise<void> {
    const { status, at: endedAt } = this.#stopped.get(order.orderRef) ?? { status: 'RUNNING', at: undefined };
    const finding = await examine(order, async (execution, generation) => {
      budget.questions -= 1;
      this.#take('questions');
      if (generation > 1) return undefined;
      return { execution, generation, redrives: 0, status, error: 'Rejected', cause: undefined, endedAt };
    });
    if (finding.is !== 'not recorded') return;
    this.secondsUntilFound.push((Date.now() - finding.ended.endedAt) / 1_000);
    this.#stopped.delete(order.orderRef);
    this.orders.splice(this.orders.indexOf(order), 1);
  }
}

/** Every night 1,000,000, which takes a minute. */
const IN_FLIGHT = Number(process.env.ORDERS_IN_FLIGHT ?? 150_000);
/** Twice the sweeps that list the running executions, and then walk through the orders: 3.5 hours for 1,000,000 orders. */
const MOST_SWEEPS = 2 * (Math.ceil(IN_FLIGHT / 60_000) + 4);

test('each order that stops is found in time, and no sweep uses more than it may', { timeout: 300_000 }, async () => {
  const stage = new ModelStage(IN_FLIGHT, IN_FLIGHT / 10);
  // The list of the running executions already has some of these.
  await stage.sweep();
  stage.stop(stage.orders.filter((_, at) => at % 1_500 === 1_499));
  const stopped = Math.floor(IN_FLIGHT / 1_500);
  while (stage.secondsUntilFound.length < stopped) {
    stage.untilNext();
    await stage.sweep();
  }
  expect(Math.max(...stage.secondsUntilFound)).toBeLessThanOrEqual(MOST_SWEEPS * EVERY);
  expect(stage.censuses.length).toBeGreaterThan(MOST_SWEEPS / 4);
  for (const orders of stage.censuses) expect(Math.abs(orders / IN_FLIGHT - 1)).toBeLessThan(0.001);
});

test('orders that are examined in vain again and again leave the others their turn', async () => {
  const stage = new ModelStage(10_000, 1_000);
  stage.stop(stage.orders.slice(0, 400), 'PENDING_REDRIVE');
  stage.stop(stage.orders.slice(5_000, 6_000));
  // Each takes two questions of the 350 of a sweep.
  for (let sweeps = 0; sweeps < 12; sweeps += 1) {
    stage.untilNext();
    await stage.sweep();
  }
  expect(stage.secondsUntilFound).toHaveLength(1_000);
});
