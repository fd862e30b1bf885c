import { logger } from '../../../core/log.ts';
import { exchangeStep } from '../../core/exchange-staging.ts';
import { endRun, type RunCursor } from '../../core/run.ts';

/** Ends a complete run: moves the watermark and releases the run. The output is for operators, in the console. */
export const handler = exchangeStep(async ({ work, execution, received, kept, unusable }: RunCursor) => {
  await endRun(work, execution);
  logger.info('The run is complete', { received, kept, unusable });
  return { work, received, kept, unusable };
});
