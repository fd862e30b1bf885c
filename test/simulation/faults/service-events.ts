import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { parseLossless, printLossless } from '../../../core/json/lossless-json.ts';
import type { OrderPlan } from '../plan/order-plan.ts';

/** Closes the order if the plan says so and the offers are old enough. `now` is in virtual milliseconds. */
export function closeByBank(order: SimulatedOrder | undefined, { closedAfter }: OrderPlan, now: number): boolean {
  const offered = order?.progress.history.find(({ status }) => status === 'OFFERS_AVAILABLE');
  if (closedAfter === undefined || !order || !offered || order.status === 'CLOSED') return false;
  if (now < offered.at + closedAfter * 1000) return false;
  const { due: _due, ...progress } = order.progress;
  const due = Math.max(offered.at + closedAfter * 1000, order.progress.history.at(-1)?.at ?? 0);
  const closed = { status: 'CLOSED', at: due } as const;
  order.progress = { ...progress, status: 'CLOSED', history: [...progress.history, closed] };
  return true;
}

/** The answer to this read with its planned `pollAfterSeconds`; undefined if none is planned. */
export function withOtherPoll(
  order: SimulatedOrder,
  { polls }: OrderPlan,
  read: number,
  body: string,
): string | undefined {
  const planned = polls.find(({ occurrence }) => occurrence === read);
  if (!planned || !order.lastRead) return undefined;
  order.lastRead = { ...order.lastRead, pollAfterSeconds: planned.seconds };
  return withMembers(body, ({ pollAfterSeconds }) => ({
    pollAfterSeconds: typeof pollAfterSeconds === 'string' ? String(planned.seconds) : planned.seconds,
  }));
}

/** The body with some members changed. Numbers keep all their digits. */
export function withMembers(body: string, change: (members: Record<string, unknown>) => object): string {
  const members = parseLossless(body) as Record<string, unknown>;
  return printLossless({ ...members, ...change(members) });
}
