import { createHash } from 'node:crypto';
import middy from '@middy/core';
import type { RunCursor } from '../legacy-begin-run/handler.ts';
import { Superseded } from '../shared/errors.ts';
import { publish } from '../shared/legacy/exchange-events.ts';
import { exchangeLog } from '../shared/legacy/exchange-log.ts';
import { exchangePatience, exchangeService } from '../shared/legacy/exchange-service.ts';
import { exchangeKey } from '../shared/legacy/exchange-staging.ts';
import { batchName, type InnBatch, readBatch, recordBatch, sortInns, stageBatch } from '../shared/legacy/inn-batch.ts';
import { changeRun, findRun, type RunItem } from '../shared/legacy/run.ts';
import { logger } from '../shared/log.ts';

/** `GET /inns`: the tax numbers are checked and staged for scoring, as one batch (specification, 4.3). */
async function fetchInns(cursor: RunCursor): Promise<RunCursor> {
  const { work, execution } = cursor;
  const run = await findRun(work);
  if (run?.execution !== execution || run.startedAt === undefined)
    throw new Superseded('Another run is at work. This one stops; nothing was fetched.');
  const staged = await stagedBatch(batchName(run.startedAt, execution), run);
  if (!staged) return { ...cursor, todo: 'end' };
  const { content, versionId } = staged;
  const { batch, numbers, setApart } = content;
  const { key } = await recordBatch(content, versionId);
  const csvKey = exchangeKey(`inns/${batch}.csv`);
  await publish('Legacy tax numbers received', [{ key, versionId, csvKey, batch, numbers: numbers.length }]);
  await changeRun(work, execution, { fingerprint: fingerprint(content) });
  logger.info('A batch of tax numbers was kept', { batch, numbers: numbers.length, setApart: setApart.length });
  const received = numbers.length + setApart.length;
  return { ...cursor, received, kept: numbers.length, unusable: setApart.length, todo: 'end' };
}

/**
 * The batch, staged before anything else is done with it: the service may not give the numbers twice, so that a repeat of this step
 * takes what is staged. Undefined when there is nothing new.
 */
async function stagedBatch(batch: string, run: RunItem) {
  const earlier = await readBatch(batch);
  if (earlier) return earlier;
  const patience = await exchangePatience('The run');
  const elements = await patience.withPatience(() => exchangeService().readInns());
  const content: InnBatch = { batch, receivedAt: new Date().toISOString(), ...sortInns(elements) };
  if (elements.length === 0 || run.fingerprint === fingerprint(content)) {
    logger.info('No new tax numbers', { listed: elements.length });
    return undefined;
  }
  return { content, versionId: await stageBatch(content) };
}

/** Of what is in the list, in whatever order. */
function fingerprint({ numbers, setApart }: InnBatch): string {
  const others = setApart.map(({ received }) => JSON.stringify(received));
  return createHash('sha256')
    .update(JSON.stringify([numbers.toSorted(), others.toSorted()]))
    .digest('hex');
}

export const handler = middy(fetchInns).use(exchangeLog());
