import { randomUUID } from 'node:crypto';
import { Superseded } from '../../../core/errors.ts';
import { logger } from '../../../core/log.ts';
import { exchangePatience, exchangeService } from '../../core/exchange-service.ts';
import { exchangeStep } from '../../core/exchange-staging.ts';
import {
  batchName,
  type InnBatch,
  publishBatch,
  publishListed,
  readBatch,
  readListed,
  separateInns,
} from '../../core/inn-batch.ts';
import { findRun, type RunCursor } from '../../core/run.ts';

/** Reads `GET /inns` (specification, 4.3). Checks the new tax numbers and stages them as one batch for scoring. */
async function fetchInns(cursor: RunCursor): Promise<RunCursor> {
  const { work, execution } = cursor;
  const run = await findRun(work);
  if (run?.execution !== execution || run.startedAt === undefined)
    throw new Superseded('Another run is active. This run stops. Nothing was fetched.');
  const batch = batchName(run.startedAt, execution);
  const earlier = await readBatch(batch);
  if (earlier) {
    // An earlier attempt of this step staged the batch. The service may not list the numbers again.
    await publishListed([...new Set([...(await readListed()), ...listedTexts(earlier)])]);
    return counted(cursor, earlier);
  }
  const patience = await exchangePatience('The run');
  const service = exchangeService({ subject: 'The run', operation: 'fetch-inns', requestId: randomUUID() });
  const elements = await patience.withPatience(() => service.readInns());
  const listed = new Set(await readListed());
  const content: InnBatch = {
    batch,
    receivedAt: new Date().toISOString(),
    ...separateInns(elements.filter((element) => !listed.has(element))),
  };
  const isNew = content.numbers.length + content.invalid.length > 0;
  if (isNew) await publishBatch(content);
  if (isNew || elements.length < listed.size) await publishListed(elements);
  const { length: numbers } = content.numbers;
  logger.info('The list of tax numbers was read', { batch, listed: elements.length, numbers });
  return counted(cursor, content);
}

/** The batch's elements as JSON text, as they were in the list. */
const listedTexts = ({ numbers, invalid }: InnBatch): string[] =>
  [...numbers, ...invalid.map(({ received }) => received)].map((element) => JSON.stringify(element));

function counted(cursor: RunCursor, { numbers, invalid }: InnBatch): RunCursor {
  const received = numbers.length + invalid.length;
  return { ...cursor, received, kept: numbers.length, unusable: invalid.length, todo: 'end' };
}

export const handler = exchangeStep(fetchInns);
