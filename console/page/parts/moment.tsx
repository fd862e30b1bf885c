import { now } from '../state/clock.ts';
import { ago, exactTime } from './format.ts';

/** A moment, relative and exact. `both` shows the exact time beside the relative one; otherwise a hint has it. */
export function Moment({ at, both }: { at: string; both?: boolean }) {
  const moment = exactTime(at);
  return (
    <time dateTime={at} title={moment}>
      {ago(at, now.value)}
      {both && <span class="exact">{moment}</span>}
    </time>
  );
}
