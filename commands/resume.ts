import type { RecordTable } from '../core/aws/record-table.ts';
import { isPaused, isPrepared, PAUSE_KEY, PREPARED_KEY, type Prepared } from '../core/order/stage-pause.ts';
import { LONGEST_WAIT_SECONDS } from '../core/time.ts';
import { type AddCommand, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { answer, changed, STAGE, stagePause, timeToCompare } from './shared/pause.ts';
import { clientSettings, type PlaceOptions } from './shared/place.ts';
import { adoptedTable, type Outputs } from './shared/stack-outputs.ts';
import { type CommandResult, formatSpan, Refusal, some } from './shared/text.ts';

export const addResume: AddCommand = (program, perform) =>
  program
    .command('resume')
    .description('resume a paused stage: its orders go on')
    .action(withConnection(perform, resume, 'without pause line'));

/** `resume`: the held orders go on by themselves, no faster than sweeps would start them. */
export async function resume({ place, record, outputs, settings, by }: StageConnection): Promise<CommandResult> {
  const [{ table }, { stage }] = [record, place];
  await refuseUnprepared(table, outputs, place);
  const lastPause = await stagePause(table);
  if (!isPaused(lastPause)) {
    return { lines: [`Stage ${stage} is not paused. Nothing was changed.`], json: answer(stage, lastPause) };
  }
  // The index may lag by some seconds.
  const orders = (await record.list({ waitingFor: 'service' })).length;
  const goOnSeconds = secondsToGoOn(orders, settings().sweep);
  const end = { resumedAt: new Date().toISOString(), resumedBy: await by(), goOnSeconds };
  const isOpen = 'since = :since AND attribute_not_exists(#resumedAt)';
  if (!(await table.updateItem(PAUSE_KEY, end, isOpen, { ':since': lastPause.since }))) throw changed(stage);
  const paused = formatSpan(Date.parse(end.resumedAt) - Date.parse(lastPause.since));
  await record.addToTimeline(STAGE, 'Resumed', { by: end.resumedBy, orders });
  return {
    lines: [`Stage ${stage} is resumed. It was paused for ${paused}.`, goOnLine(orders, goOnSeconds)],
    json: { ...answer(stage, { ...lastPause, ...end }), orders },
  };
}

/** @throws Refusal if the stage has adopted a table that was not compared with the uploads yet. */
export async function refuseUnprepared(table: RecordTable, outputs: Outputs, place: PlaceOptions): Promise<void> {
  const TableName = adoptedTable(outputs);
  if (TableName === undefined || isPrepared(TableName, await table.getItem<Prepared>(PREPARED_KEY))) return;
  const { DescribeTableCommand, DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const { Table = {} } = await new DynamoDBClient(clientSettings(place)).send(new DescribeTableCommand({ TableName }));
  throw new Refusal(
    `The stage has adopted table ${TableName}, which may lack orders that the service has: nothing was resumed. Run ` +
      `"loan-orders restored --to ${timeToCompare(Table)}", then repeat.`,
  );
}

function goOnLine(orders: number, goOnSeconds: number): string {
  if (orders === 0) return 'No order waits for the order service, so none was held.';
  const [wait, go] = orders === 1 ? ['waits', 'goes'] : ['wait', 'go'];
  return (
    `${some(orders, 'order')} that ${wait} for the order service ${go} on: the first within 15 min, when it looks at the pause again, ` +
    `and the last at most ${formatSpan(goOnSeconds * 1000)} later.`
  );
}

/** Held orders continue as fast as sweeps would start them: at most `mostStarts` each. */
export function secondsToGoOn(orders: number, sweep: { everyMinutes: number; mostStarts: number }): number {
  const seconds = Math.ceil((orders / sweep.mostStarts) * sweep.everyMinutes * 60);
  return Math.min(seconds, LONGEST_WAIT_SECONDS);
}
