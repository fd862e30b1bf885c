import { logger } from '../../../core/log.ts';
import { exchangeStep } from '../../core/exchange-staging.ts';
import { claimRun, type RunCursor, type RunItem } from '../../core/run.ts';
import { windowSettings } from '../../core/settings.ts';

type BeginRunInput = Pick<RunCursor, 'work' | 'execution' | 'name'> & { input: { cursor?: RunCursor } };

/**
 * Claims the run and returns its cursor. Two runs of the same kind never overlap. `name` is the execution's name. Executions that continue
 * the run have names that begin with it, and a `cursor` in their input.
 */
async function beginRun({ work, execution, name, input: { cursor } }: BeginRunInput): Promise<RunCursor> {
  const run = await claimRun(work, execution, cursor?.execution);
  if (!run) logger.info('Another run is active, so this one does nothing');
  const todo = run ? 'fetch' : 'leave';
  if (cursor) return { ...cursor, execution, part: cursor.part + 1, pages: 0, todo };
  const counts = { skip: 0, pages: 0, received: 0, kept: 0, unusable: 0 };
  const creationDateFrom = work === 'fetch-requests' && run ? windowBegin(run) : '';
  return { work, execution, name, part: 1, creationDateFrom, ...counts, todo };
}

/**
 * Requests from this date on are fetched. It is earlier than the start of the last complete run, because clocks differ and a request may
 * be listed some time after its creation. Before the first complete run it is the stage's setting, or empty for all requests.
 */
function windowBegin({ watermark }: RunItem): string {
  if (watermark === undefined) return windowSettings.first ?? '';
  const overlap = windowSettings.overlapMinutes * 60_000;
  const begin = new Date(Date.parse(watermark) - overlap).toISOString();
  return windowSettings.dateFormat === 'date' ? begin.slice(0, 10) : begin;
}

export const handler = exchangeStep(beginRun);
