import { createHash } from 'node:crypto';
import { readAnswer } from '../../core/order-service/order-answer.ts';
import type { decide } from '../../core/reading/decide.ts';
import { DIGEST_LENGTH, type PlanSummary, planText, restore, summaryOf } from '../../core/reading/kept-read.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import type { KeptItem, OrderDetails } from '../stage/record.ts';

/** The record of an order, its stage, and every answer that was staged. */
export interface ReplayedOrder extends Pick<OrderDetails, 'order' | 'timeline' | 'reads'> {
  stage: string;
  answers: AsyncIterable<string>;
}

/** A read that this checkout decides otherwise. */
export interface Difference {
  orderRef: string;
  at: string;
  /** The service's status. */
  status: string;
  done: string;
  would: string;
}

/** Decides again what the kept reads were decided from. One answer at a time is in memory. */
export async function replayOrder(replayed: ReplayedOrder, judge: typeof decide) {
  const { order, timeline, reads, stage, answers } = replayed;
  const settings = stageSettings(stage);
  const lines = timeline.flatMap(({ at, read }) => (typeof read === 'string' ? [{ at, read }] : []));
  const left = new Set([...lines, ...reads]);
  const count = left.size;
  const differences: Difference[] = [];
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

function differencesIn(
  { at, read: kept }: KeptItem,
  { order, text, sha256, settings }: Pick<ReplayedOrder, 'order'> & { text: string; sha256: string; settings: Stage },
  judge: typeof decide,
): Difference[] {
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
  const ofRounds = Object.entries(rounds).map(([kind, round]) => {
    const { number, asked, left } = round;
    return `${kind} ${number}, asked ${asked.times}${left ? ', left' : ''}`;
  });
  const confirms = toConfirm.length > 0 ? [`confirm ${toConfirm.join(' ')}`] : [];
  const parts = [todo, status && `record ${status}`, ...ofRounds, ...settled, ...confirms, failure];
  return parts.filter(Boolean).join('; ');
}
