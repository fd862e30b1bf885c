import { lambdaHandler } from '../shared/lambda-handler.ts';
import { exchangeLog } from '../shared/legacy/exchange-log.ts';
import { endRun } from '../shared/legacy/run.ts';
import type { RunCursor } from '../shared/legacy/run-cursor.ts';
import { logger } from '../shared/log.ts';

/** What an operator reads of a whole run in the console. */
export type RunEnd = Pick<RunCursor, 'work' | 'received' | 'kept' | 'unusable'>;

/** The whole run came through: the watermark moves, and the next run may begin. */
async function endWholeRun({ work, execution, received, kept, unusable }: RunCursor): Promise<RunEnd> {
  await endRun(work, execution);
  logger.info('The run is over', { received, kept, unusable });
  return { work, received, kept, unusable };
}

export const handler = lambdaHandler(endWholeRun).use(exchangeLog());
