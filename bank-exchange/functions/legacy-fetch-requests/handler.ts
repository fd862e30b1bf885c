import { randomUUID } from 'node:crypto';
import { inBatches } from '../../../core/in-batches.ts';
import { logger } from '../../../core/log.ts';
import { exchangePatience, exchangeService } from '../../core/exchange-service.ts';
import { exchangeStep } from '../../core/exchange-staging.ts';
import { nextPage } from '../../core/next-page.ts';
import { type ReceivedRequest, receivedRequest, stageRequest } from '../../core/received-requests.ts';
import { changeRun, findRun, type RunCursor } from '../../core/run.ts';
import { pageSettings } from '../../core/settings.ts';

/** Reads one page of `GET /requests` (specification, 4.3). Stages and records its requests. */
async function fetchRequests(cursor: RunCursor): Promise<RunCursor> {
  const { work, execution, skip, creationDateFrom } = cursor;
  const { take, overlap, perExecution } = pageSettings;
  const patience = await exchangePatience('The run');
  const service = exchangeService({ subject: 'The run', operation: 'fetch-requests', requestId: randomUUID() });
  const page = await patience.withPatience(() =>
    service.readRequests({ take, skip, ...(creationDateFrom !== '' && { creationDateFrom }) }),
  );
  const requests = page.map(receivedRequest);
  const kept = await keep(requests);
  const seen = requests.map(({ requestId, sha256 }) => requestId ?? sha256);
  const { lastPage } = (await findRun(work)) ?? {};
  const number = `${cursor.part}.${cursor.pages}`;
  const before = lastPage?.page === number ? lastPage.before : lastPage?.seen;
  const next = nextPage({ skip, take, seen, before, overlap });
  if (next.joins) await changeRun(work, execution, { lastPage: { page: number, seen, ...(before && { before }) } });
  else logger.warn('Requests were removed from the list between two pages. Reading again from further back', { skip });
  const unusable = requests.filter(({ requestId }) => requestId === undefined).length;
  if (unusable > 0) logger.warn('Requests without a requestId were staged separately', { unusable });
  logger.info('A page of requests was staged', { skip, received: requests.length, kept });
  const pages = cursor.pages + 1;
  const full = pages >= perExecution ? 'continue' : 'fetch';
  return {
    ...cursor,
    skip: next.skip,
    pages,
    received: cursor.received + requests.length,
    kept: cursor.kept + kept,
    unusable: cursor.unusable + unusable,
    todo: next.isLast ? 'end' : full,
  };
}

/** Stages and records the new and changed requests of a page. Returns their number. */
async function keep(requests: ReceivedRequest[]): Promise<number> {
  // If a request occurs twice on the page, the last one wins.
  const different = [...new Map(requests.map((one) => [one.requestId ?? one.sha256, one])).values()];
  let kept = 0;
  await inBatches(different, async (request) => {
    if (await stageRequest(request)) kept += 1;
  });
  return kept;
}

export const handler = exchangeStep(fetchRequests);
