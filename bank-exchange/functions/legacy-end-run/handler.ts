import { lambdaHandler, logger } from '../../../core/log.ts';
import { exchangeLog } from '../../core/exchange-log.ts';
import { endRun, type RunCursor } from '../../core/run.ts';

/** The execution's output, which operators see in the console. */
export type RunEnd = Pick<RunCursor, 'work' | 'received' | 'kept' | 'unusable'>;

/** Ends a complete run: moves the watermark and frees the run. */
async function endWholeRun({ work, execution, received, kept, unusable }: RunCursor): Promise<RunEnd> {
  await endRun(work, execution);
  logger.info('The run is complete', { received, kept, unusable });
  return { work, received, kept, unusable };
}

export const handler = lambdaHandler(endWholeRun).use(exchangeLog());
