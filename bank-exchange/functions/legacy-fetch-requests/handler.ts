import { createHash, randomUUID } from 'node:crypto';
import { inBatches } from '../../../core/in-batches.ts';
import { logger } from '../../../core/log.ts';
import { exchangePatience, exchangeService } from '../../core/exchange-service.ts';
import { exchangeKey, exchangeStep, publishExchangeText, requestKey } from '../../core/exchange-staging.ts';
import { exchangeTable } from '../../core/exchange-table.ts';
import { nextPage } from '../../core/next-page.ts';
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

type ReceivedRequest = ReturnType<typeof receivedRequest>;

/** One element of `GET /requests`. `requestId` is undefined if it is missing or unusable. `sha256` is hexadecimal. */
function receivedRequest(text: string) {
  const { requestId } = (JSON.parse(text) ?? {}) as { requestId?: unknown };
  const usable = (typeof requestId === 'string' && requestId !== '') || Number.isSafeInteger(requestId);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { requestId: usable ? String(requestId) : undefined, text, sha256 };
}

/**
 * Stages a request, then records it. Skips a request that has not changed. An element without a usable `requestId` is staged
 * separately, under its hash.
 * @returns whether the request is new or changed.
 */
async function stageRequest({ requestId, text, sha256 }: ReceivedRequest): Promise<boolean> {
  if (requestId === undefined) {
    await publishExchangeText(exchangeKey(`requests-unusable/${sha256}.json`), text);
    return false;
  }
  // The item contains the hash of the staged text.
  const key = { subject: `request#${requestId}`, item: 'request' };
  const earlier = await exchangeTable.getItem<Pick<ReceivedRequest, 'sha256'>>(key);
  if (earlier?.sha256 === sha256) return false;
  await publishExchangeText(requestKey(requestId), text);
  // A function of an aborted run may still be running. It must not overwrite what the active run has recorded.
  const condition = earlier ? 'sha256 = :earlier' : 'attribute_not_exists(subject)';
  await exchangeTable.putItem({ ...key, sha256 }, condition, earlier && { ':earlier': earlier.sha256 });
  return true;
}

export const handler = exchangeStep(fetchRequests);
