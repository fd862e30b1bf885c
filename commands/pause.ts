import { isPaused, PAUSE_KEY, type StagePause } from '../core/order/stage-pause.ts';
import { type AddCommand, reasonOf, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { answer, changed, pauseLine, STAGE, stagePause } from './shared/pause.ts';
import type { CommandResult } from './shared/text.ts';

export const addPause: AddCommand = (program, perform) =>
  program
    .command('pause')
    .description('pause the stage: no function calls the order service, and orders wait')
    .requiredOption('--reason <text>', 'why, without personal data: every command shows it', reasonOf)
    .action(withConnection(perform, pause, 'without pause line'));

export async function pause(
  { record, by, place: { stage } }: StageConnection,
  { reason }: { reason: string },
): Promise<CommandResult> {
  const begun: StagePause = { since: new Date().toISOString(), by: await by(), reason };
  const isFree = 'attribute_not_exists(since) OR attribute_exists(resumedAt)';
  if (!(await record.table.putItem({ ...PAUSE_KEY, ...begun }, isFree))) {
    const lastPause = await stagePause(record.table);
    if (!isPaused(lastPause)) throw changed(stage);
    return { lines: [`${pauseLine(stage, lastPause)}. Nothing was changed.`], json: answer(stage, lastPause) };
  }
  await record.addToTimeline(STAGE, 'Paused', { by: begun.by, reason });
  return {
    lines: [
      `Stage ${stage} is paused: no function calls the order service any more. Steps that are running end first.`,
      'Packages, signatures and decisions are still taken. Orders go on after "loan-orders resume".',
    ],
    json: answer(stage, begun),
  };
}
