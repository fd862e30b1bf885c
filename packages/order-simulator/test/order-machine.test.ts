import { describe, expect, test } from 'vitest';
import {
  accept,
  advance,
  begin,
  confirm,
  goBack,
  type OrderPlan,
  type OrderProgress,
  type OrderStatus,
} from '../order-machine.ts';

const plan: OrderPlan = {
  outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'],
  processing: 1000,
  bank: 5000,
  closeWithoutConfirmation: 9000,
  anyOfferAvailable: true,
};

/** One order in each state of section 3, before any change is due. */
function ordersInEveryState(): Record<OrderStatus, { progress: OrderProgress; now: number }> {
  const started = begin(plan, 0);
  const documents = advance(started, 1000);
  const signature = advance(step(accept(documents, 1000)), 2000);
  const offers = advance(step(accept(signature, 2000)), 3000);
  const approved = step(confirm(offers, 3000));
  return {
    IN_WORK: { progress: started, now: 0 },
    WAITING_FOR_DOCUMENTS: { progress: documents, now: 1000 },
    WAITING_FOR_SIGNATURE: { progress: signature, now: 2000 },
    OFFERS_AVAILABLE: { progress: offers, now: 3000 },
    OFFERS_APPROVED: { progress: approved, now: 3000 },
    CLOSED: { progress: advance(approved, 8000), now: 8000 },
    VALIDATION_FAILED: { progress: advance(begin({ ...plan, outcomes: ['VALIDATION_FAILED'] }, 0), 1000), now: 1000 },
  };
}

function step(progress: OrderProgress | undefined): OrderProgress {
  if (!progress) throw new Error('The step was refused');
  return progress;
}

describe('the order machine allows the specified calls in the state', () => {
  test.each(Object.entries(ordersInEveryState()))('%s', (status, { progress, now }) => {
    expect(progress.status).toBe(status);
    const accepts = ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE'].includes(status);
    expect(accept(progress, now)?.status).toBe(accepts ? 'IN_WORK' : undefined);
    const confirms = ['OFFERS_AVAILABLE', 'OFFERS_APPROVED'].includes(status);
    expect(confirm(progress, now)?.status).toBe(confirms ? 'OFFERS_APPROVED' : undefined);
    const movesByItself = ['IN_WORK', 'OFFERS_APPROVED'].includes(status);
    expect(progress.due !== undefined).toBe(movesByItself);
  });
});

describe('the order machine', () => {
  test('makes several due changes in one step, each with its own time', () => {
    const offers = {
      ...ordersInEveryState().WAITING_FOR_SIGNATURE.progress,
      plan: { ...plan, anyOfferAvailable: false },
    };
    const closed = advance(step(accept(offers, 2000)), 1_000_000);
    expect(closed.history.slice(-2)).toEqual([
      { status: 'OFFERS_AVAILABLE', at: 3000 },
      { status: 'CLOSED', at: 12_000 },
    ]);
  });

  test('makes due changes before an accept or a confirm', () => {
    expect(accept(begin(plan, 0), 1000)?.status).toBe('IN_WORK');
    expect(accept(begin(plan, 0), 999)).toBeUndefined();
    expect(confirm(ordersInEveryState().OFFERS_APPROVED.progress, 8000)).toBeUndefined();
  });
});

test('an order that goes back is IN_WORK, takes the given outcomes, and then continues its plan', () => {
  const waiting = advance(begin(plan, 0), plan.processing);
  const back = goBack(waiting, ['WAITING_FOR_DOCUMENTS'], 100_000);
  expect(back.history.at(-1)).toEqual({ status: 'IN_WORK', at: 100_000, isBack: true });
  const again = advance(back, 100_000 + plan.processing);
  expect(again.status).toBe('WAITING_FOR_DOCUMENTS');
  const accepted = accept(again, 200_000) as OrderProgress;
  expect(advance(accepted, 200_000 + plan.processing).status).toBe(plan.outcomes[1]);
});
