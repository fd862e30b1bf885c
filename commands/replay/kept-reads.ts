import { createHash } from 'node:crypto';
import { readAnswer } from '../../core/order-service/order-answer.ts';
import type { decide } from '../../core/reading/decide.ts';
import { DIGEST_LENGTH, type PlanSummary, planText, restore, summaryOf } from '../../core/reading/kept-read.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import type { OrderDetails } from '../stage/record.ts';

/** The record of an order, its stage, and every answer that was staged. */
export interface ReplayedOrder extends Pick<OrderDetails, 'order' | 'timeline' | 'reads'> {
  stage: string;
  answers: AsyncIterable<string>;
}

/** Decides again what the kept reads were decided from. One answer at a time is in memory. */
export async function replayOrder(replayed: ReplayedOrder, judge: typeof decide) {
  const { order, timeline, reads, stage, answers } = replayed;
  const settings = stageSettings(stage);
  const lines = timeline.flatMap(({ at, read }) => (typeof read === 'string' ? [{ at, read }] : []));
  const left = new Set([...lines, ...reads]);
  const count = left.size;
  const differences: ReturnType<typeof differencesIn> = [];
  for await (const text of answers) {
    const sha256 = createHash('sha256').update(text).digest('hex');
    const ofAnswer = [...left].filter(({ read }) => sha256.startsWith(read.slice(0, DIGEST_LENGTH)));
    for (const kept of ofAnswer) {
      left.delete(kept);
      differences.push(...differencesIn(kept, { order, text, sha256, settings }, judge));
    }
  }
  differences.sort((one, other) => one.at.localeCompare(other.at));
  return { reads: count, differences, withoutAnswer: [...left] };
}

/** The read, with the service's status, if this checkout decides it otherwise. */
function differencesIn(
  { at, read: kept }: OrderDetails['reads'][number],
  { order, text, sha256, settings }: Pick<ReplayedOrder, 'order'> & { text: string; sha256: string; settings: Stage },
  judge: typeof decide,
) {
  const { orderRef } = order;
  const { orderService, limits } = settings;
  try {
    const answer = readAnswer(text, JSON.parse(text), { ...orderService, mostOffers: limits.offers });
    const read = { is: 'read' as const, ...answer, sha256 };
    const { plan, rules, ...view } = restore(kept, at, order, read);
    const would = summaryOf(judge(view, read, rules, Date.parse(at)), view);
    const isSame = planText(would) === planText(plan);
    return isSame ? [] : [{ orderRef, at, status: read.order.status, done: words(plan), would: words(would) }];
  } catch (error) {
    return [{ orderRef, at, status: '-', done: 'decide', would: `fail: ${(error as Error).message}` }];
  }
}

function words({ todo, status, rounds = {}, settled, toConfirm, failure }: PlanSummary): string {
  const ofRounds = Object.entries(rounds).map(
    ([kind, { number, asked, left }]) => `${kind} ${number}, asked ${asked.times}${left ? ', left' : ''}`,
  );
  const confirms = toConfirm.length > 0 && `confirm ${toConfirm.join(' ')}`;
  return [todo, status && `record ${status}`, ...ofRounds, ...settled, confirms, failure].filter(Boolean).join('; ');
}
