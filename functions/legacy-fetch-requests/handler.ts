import { environmentNumber } from '../shared/environment.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { publish } from '../shared/legacy/exchange-events.ts';
import { exchangeLog } from '../shared/legacy/exchange-log.ts';
import { exchangePatience, exchangeService } from '../shared/legacy/exchange-service.ts';
import { inParallel } from '../shared/legacy/in-parallel.ts';
import { nextPage } from '../shared/legacy/next-page.ts';
import {
  keepRequest,
  markAnnounced,
  type ReceivedRequest,
  type RequestItem,
  receivedRequest,
} from '../shared/legacy/received-requests.ts';
import { changeRun, findRun } from '../shared/legacy/run.ts';
import type { RunCursor } from '../shared/legacy/run-cursor.ts';
import { logger } from '../shared/log.ts';

/** Requests of a page that are kept at a time. */
const AT_A_TIME = 10;

/** `GET /requests` for one page: every request of it is staged, recorded once, and told of (specification, 4.3). */
async function fetchRequests(cursor: RunCursor): Promise<RunCursor> {
  const { work, execution, skip, creationDateFrom } = cursor;
  const take = environmentNumber('TAKE');
  const patience = await exchangePatience('The run');
  const page = await patience.withPatience(() =>
    exchangeService().readRequests({ take, skip, ...(creationDateFrom !== '' && { creationDateFrom }) }),
  );
  const requests = page.map(receivedRequest);
  const news = await keep(requests);
  const seen = requests.map(({ requestId, sha256 }) => requestId ?? sha256);
  const { lastPage } = (await findRun(work)) ?? {};
  const number = `${cursor.part}.${cursor.pages}`;
  const before = lastPage?.page === number ? lastPage.before : lastPage?.seen;
  const next = nextPage({ skip, take, seen, before, overlap: environmentNumber('PAGE_OVERLAP') });
  if (next.joins) await changeRun(work, execution, { lastPage: { page: number, seen, ...(before && { before }) } });
  else logger.warn('Requests went from the list between two pages: it is read again from further back', { skip });
  const unusable = requests.filter(({ requestId }) => requestId === undefined).length;
  if (unusable > 0) logger.warn('Requests without a requestId were set apart in staging', { unusable });
  logger.info('A page of requests was kept', { skip, received: requests.length, kept: news });
  const pages = cursor.pages + 1;
  const full = pages >= environmentNumber('PAGES_PER_EXECUTION') ? 'continue' : 'fetch';
  return {
    ...cursor,
    skip: next.skip,
    pages,
    received: cursor.received + requests.length,
    kept: cursor.kept + news,
    unusable: cursor.unusable + unusable,
    todo: next.isLast ? 'end' : full,
  };
}

/** Keeps what is new on a page and tells of it; answers how much that was. Where a row came twice, the later one counts. */
async function keep(requests: ReceivedRequest[]): Promise<number> {
  const different = [...new Map(requests.map((one) => [one.requestId ?? one.sha256, one])).values()];
  const kept = await inParallel(different, AT_A_TIME, keepRequest);
  const news = kept.filter((one) => one !== undefined);
  const detail = ({ key, versionId, requestId }: RequestItem) => ({ key, versionId, requestId });
  const received = news.filter(({ known }) => !known).map(({ item }) => detail(item));
  const changed = news.filter(({ known }) => known).map(({ item }) => detail(item));
  await publish('Legacy request received', received);
  await publish('Legacy request changed', changed);
  await inParallel(news, AT_A_TIME, ({ item }) => markAnnounced(item));
  return news.length;
}

export const handler = lambdaHandler(fetchRequests).use(exchangeLog());
