import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { readAnswer } from '../../core/order-service/order-answer.ts';
import type { decide } from '../../core/reading/decide.ts';
import { type KeptRead, type PlanSummary, restore, summaryOf } from '../../core/reading/kept-read.ts';
import type { Plan } from '../../core/reading/plan.ts';
import { stageSettings } from '../../infra/stages.ts';
import type { OrderDetails } from '../stage/record.ts';

/** The record of an order, its stage, and every answer that was staged. */
export interface ReplayedOrder extends Pick<OrderDetails, 'order' | 'timeline' | 'reads'> {
  stage: string;
  answers: AsyncIterable<string>;
}

type ReadAt = KeptRead & { at: string };

/** Decides again what the kept reads were decided from. One answer at a time is in memory. */
export async function replayOrder({ timeline, reads, stage, answers }: ReplayedOrder, judge: typeof decide) {
  const { orderService, limits } = stageSettings(stage);
  const lines = timeline.flatMap(({ at, read }) => (typeof read === 'string' ? [{ at, read }] : []));
  const left = new Set([...lines, ...reads].map(({ at, read }): ReadAt => ({ at, ...restore(read) })));
  const count = left.size;
  const differences: Difference[] = [];
  for await (const text of answers) {
    const sha256 = createHash('sha256').update(text).digest('hex');
    for (const kept of [...left].filter((one) => one.sha256 === sha256)) {
      left.delete(kept);
      const answer = readAnswer(text, JSON.parse(text), { ...orderService, mostOffers: limits.offers });
      const { at, plan, rules, ...view } = kept;
      const found = { orderRef: view.record.orderRef, at, status: answer.order.status };
      const would = outcomeOf(() => judge(view, { is: 'read', ...answer, sha256 }, rules, Date.parse(at)));
      if (typeof would === 'string') differences.push({ ...found, done: words(plan), would });
      else if (!isSame(would, plan)) differences.push({ ...found, done: words(plan), would: words(would) });
    }
  }
  differences.sort((one, other) => one.at.localeCompare(other.at));
  return { isEmpty: count === 0, reads: count - left.size, differences, withoutAnswer: [...left] };
}

/** A version that fails where the last one decided differs, too. */
function outcomeOf(judged: () => Plan): PlanSummary | string {
  try {
    return summaryOf(judged());
  } catch (error) {
    return `fail with ${(error as Error).name}`;
  }
}

/** A read that this checkout would decide otherwise. */
export interface Difference {
  orderRef: string;
  at: string;
  /** The service's status. */
  status: string;
  done: string;
  would: string;
}

/** What was kept went through JSON, which leaves undefined members out. */
const isSame = (would: PlanSummary, done: PlanSummary) => isDeepStrictEqual(JSON.parse(JSON.stringify(would)), done);

function words({ todo, status, rounds = {}, settled, toConfirm, failure }: PlanSummary): string {
  const ofRounds = Object.entries(rounds).map(
    ([kind, { number, asked, left }]) => `${kind} ${number}, asked ${asked.times}${left ? ', left' : ''}`,
  );
  const confirms = toConfirm.length > 0 && `confirm ${toConfirm.join(' ')}`;
  return [todo, status && `record ${status}`, ...ofRounds, ...settled, confirms, failure].filter(Boolean).join('; ');
}
