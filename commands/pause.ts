import type { RecordTable } from '../core/aws/record-table.ts';
import { CREATIONS_KEY, type CreationHold, isHolding } from '../core/order/creation-hold.ts';
import { isPaused, PAUSE_KEY, pauseIn, pauseKeys, type StagePause } from '../core/order/stage-pause.ts';
import { addEvent } from '../core/order/timeline.ts';
import type { Connection } from './shared/connection.ts';
import { adoptedTable, type Outputs } from './shared/stack-outputs.ts';
import { type Answer, plain, Refusal, time } from './shared/text.ts';

/** The key of the stage's own timeline, which says who paused and resumed it. No order has it. */
export const STAGE = '#stage';

/** The line that every command prints while the stage is paused. */
export function pauseLine(stage: string, { since, by, reason }: StagePause): string {
  return plain(`Stage ${stage} is paused since ${time(since)} by ${by}: ${reason}`);
}

/** The last pause, which may be over: the table keeps it. */
export const findPause = (table: RecordTable) => table.getItem<StagePause>(PAUSE_KEY);

/** What holds the orders of the stage, as its functions see it. */
export async function pauseInForce(table: RecordTable, outputs: Outputs): Promise<StagePause | undefined> {
  const adopted = adoptedTable(outputs);
  return pauseIn(await Promise.all(pauseKeys(adopted).map((key) => table.getItem(key))), adopted);
}

/** What holds the creations of the stage back; undefined if they go through. */
export async function creationsHeld(table: RecordTable) {
  const hold = await table.getItem<CreationHold>(CREATIONS_KEY);
  if (!isHolding(hold)) return undefined;
  const { since, cause, nextTry } = hold;
  return { since, cause, nextTry };
}

/** The line that every command prints while creations wait. */
export function creationsLine({ since, cause, nextTry }: Pick<CreationHold, 'since' | 'cause' | 'nextTry'>): string {
  return plain(
    `Since ${time(since)}, the service has answered no creation (the last one: ${cause}). RECEIVED orders wait; the next is tried at ${time(nextTry)}.`,
  );
}

/** `pause`: no function calls the order service until `resume`. */
export async function pause({ record, by, place: { stage } }: Connection, reason: string): Promise<Answer> {
  const begun: StagePause = { since: new Date().toISOString(), by: await by(), reason };
  const isFree = 'attribute_not_exists(since) OR attribute_exists(resumedAt)';
  if (!(await record.table.putItem({ ...PAUSE_KEY, ...begun }, isFree))) {
    const lastPause = await findPause(record.table);
    if (!isPaused(lastPause)) throw changed(stage);
    return { lines: [`${pauseLine(stage, lastPause)}. Nothing was changed.`], json: answer(stage, lastPause) };
  }
  await addEvent(STAGE, 'Paused', { by: begun.by, reason }, record.table);
  return {
    lines: [
      `Stage ${stage} is paused: no function calls the order service any more. Steps that are running end first.`,
      'Packages, signatures and decisions are still taken. Orders go on after "loan-orders resume".',
    ],
    json: answer(stage, begun),
  };
}

/** What `pause` and `resume` print with `--json`. */
export function answer(stage: string, pause: StagePause | undefined) {
  if (pause === undefined) return { stage, isPaused: false };
  const { since, by, reason, resumedAt, resumedBy, goOnSeconds } = pause;
  return { stage, isPaused: isPaused(pause), since, by, reason, resumedAt, resumedBy, goOnSeconds };
}

export function changed(stage: string): Refusal {
  return new Refusal(
    `Somebody else paused or resumed stage ${stage} at the same time. Look with "loan-orders list", then repeat.`,
  );
}
