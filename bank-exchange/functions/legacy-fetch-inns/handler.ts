import { randomUUID } from 'node:crypto';
import { Superseded } from '../../../core/errors.ts';
import { lambdaHandler, logger } from '../../../core/log.ts';
import { publish } from '../../core/exchange-events.ts';
import { exchangeLog } from '../../core/exchange-log.ts';
import { exchangePatience, exchangeService } from '../../core/exchange-service.ts';
import { exchangeKey } from '../../core/exchange-staging.ts';
import {
  batchName,
  type InnBatch,
  readBatch,
  readListed,
  recordBatch,
  sortInns,
  stageBatch,
  stageListed,
} from '../../core/inn-batch.ts';
import { findRun, type RunCursor } from '../../core/run.ts';

/** Reads `GET /inns` (specification, 4.3). Checks the tax numbers that are new, and stages them as one batch for scoring. */
async function fetchInns(cursor: RunCursor): Promise<RunCursor> {
  const { work, execution } = cursor;
  const run = await findRun(work);
  if (run?.execution !== execution || run.startedAt === undefined)
    throw new Superseded('Another run is active. This run stops. Nothing was fetched.');
  const batch = batchName(run.startedAt, execution);
  const earlier = await readBatch(batch);
  if (earlier) {
    // This step has run before and staged the batch. The service may not list the numbers again.
    await keep(earlier.content, earlier.versionId);
    await stageListed([...new Set([...(await readListed()), ...listedTexts(earlier.content)])]);
    return counted(cursor, earlier.content);
  }
  const patience = await exchangePatience('The run');
  const service = exchangeService({ subject: 'The run', operation: 'fetch-inns', requestId: randomUUID() });
  const elements = await patience.withPatience(() => service.readInns());
  const listed = new Set(await readListed());
  const content: InnBatch = {
    batch,
    receivedAt: new Date().toISOString(),
    ...sortInns(elements.filter((element) => !listed.has(element))),
  };
  const isNew = content.numbers.length + content.invalid.length > 0;
  if (isNew) await keep(content, await stageBatch(content));
  if (isNew || elements.length < listed.size) await stageListed(elements);
  logger.info('The list of tax numbers was read', { listed: elements.length, numbers: content.numbers.length });
  return counted(cursor, content);
}

/** The texts of the batch's elements, as they were in the list. */
function listedTexts({ numbers, invalid }: InnBatch): string[] {
  return [...numbers, ...invalid.map(({ received }) => received)].map((element) => JSON.stringify(element));
}

async function keep(content: InnBatch, versionId: string): Promise<void> {
  const { batch, numbers, invalid } = content;
  const { key } = await recordBatch(content, versionId);
  const csvKey = exchangeKey(`inns/${batch}.csv`);
  await publish('Legacy tax numbers received', [{ key, versionId, csvKey, batch, numbers: numbers.length }]);
  logger.info('A batch of tax numbers was staged', { batch, numbers: numbers.length, invalid: invalid.length });
}

function counted(cursor: RunCursor, { numbers, invalid }: InnBatch): RunCursor {
  const received = numbers.length + invalid.length;
  return { ...cursor, received, kept: numbers.length, unusable: invalid.length, todo: 'end' };
}

export const handler = lambdaHandler(fetchInns).use(exchangeLog());
