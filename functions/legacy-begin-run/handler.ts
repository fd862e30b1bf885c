import { environment, environmentNumber, optionalEnvironment } from '../shared/environment.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { exchangeLog } from '../shared/legacy/exchange-log.ts';
import { claimRun, type FetchWork, type RunItem } from '../shared/legacy/run.ts';
import type { RunCursor } from '../shared/legacy/run-cursor.ts';
import { logger } from '../shared/log.ts';

export interface BeginRunInput {
  work: FetchWork;
  /** ARN of the execution, which claims the run. */
  execution: string;
  /** Name of the execution, from which those that carry the run on have theirs. */
  name: string;
  /** The execution's own input: its `cursor` is there where it carries a run on. */
  input: { cursor?: RunCursor };
}

/** Claims the run, and says what is asked for: two runs of the same kind never overlap. */
async function beginRun({ work, execution, name, input: { cursor } }: BeginRunInput): Promise<RunCursor> {
  const run = await claimRun(work, execution, cursor?.execution);
  if (!run) logger.info('Another run is at work: this one leaves everything to it');
  const todo = run ? 'fetch' : 'leave';
  if (cursor) return { ...cursor, execution, part: cursor.part + 1, pages: 0, todo };
  const counts = { skip: 0, pages: 0, received: 0, kept: 0, unusable: 0 };
  const creationDateFrom = work === 'fetch-requests' && run ? windowBegin(run) : '';
  return { work, execution, name, part: 1, creationDateFrom, ...counts, todo };
}

/**
 * The window overlaps the last whole run: clocks differ, and a request may come into sight later than it was created. Before the
 * first whole run it begins where the stage says, or with the first request there is.
 */
function windowBegin({ watermark }: RunItem): string {
  if (watermark === undefined) return optionalEnvironment('FIRST_CREATION_DATE_FROM') ?? '';
  const overlap = environmentNumber('WINDOW_OVERLAP_MINUTES') * 60_000;
  const begin = new Date(Date.parse(watermark) - overlap).toISOString();
  return environment('CREATION_DATE_FORMAT') === 'date' ? begin.slice(0, 10) : begin;
}

export const handler = lambdaHandler(beginRun).use(exchangeLog());
