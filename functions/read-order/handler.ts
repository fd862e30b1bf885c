import { createHash } from 'node:crypto';
import middy from '@middy/core';
import type { Cursor } from '../create-order/handler.ts';
import { openChoices } from '../shared/decision.ts';
import { environmentNumber } from '../shared/environment.ts';
import { UnexpectedResponse } from '../shared/errors.ts';
import { memberText } from '../shared/lossless-json.ts';
import { type KnownFacts, type NextStep, nextStep } from '../shared/next-step.ts';
import { acceptName, isDone } from '../shared/operations.ts';
import { logger, operatorLog } from '../shared/operator-log.ts';
import { addEvent, changeOrder, loadCreatedOrder, type OrderItem, type WaitingFor } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import type { Order } from '../shared/order-service-client.ts';
import { clampPollAfterSeconds } from '../shared/poll.ts';
import { stageStatus, stageText } from '../shared/staging.ts';

/** The cursor with what the state machine routes by. Lists hold positions, not names: a `fileId` may say anything. */
export interface ReadOrderOutput extends Cursor {
  status: string;
  todo: NextStep['todo'] | 'continue';
  pollAfterSeconds: number;
  documents: { orderRef: string; generation: number; position: number }[];
  choices: { orderRef: string; generation: number; position: number }[];
  round: number;
}

/** `GET /v1/orders/{orderId}` (specification, endpoint 2), what changed into staging and the record, and the next step. */
async function readOrder(cursor: Cursor): Promise<ReadOrderOutput> {
  const record = await loadCreatedOrder(cursor.orderRef, cursor.generation);
  const { text, order } = await orderService().readOrder(record.orderId);
  const choices = order.status.startsWith('OFFERS_')
    ? await openChoices(record.orderRef)
    : { decided: false, open: [] };
  const step = nextStep(order, await knownFacts(record, order, choices));
  await keepChanges(record, order, text, step);
  const repeats = step.todo === 'wait' && order.status.startsWith('WAITING_FOR_') ? cursor.repeats + 1 : 0;
  refuseEndlessRepeats(record, order.status, repeats);
  const reads = cursor.reads + 1;
  return {
    ...{ orderRef: record.orderRef, generation: record.generation, reads, repeats },
    status: order.status,
    todo: step.todo === 'wait' && reads >= environmentNumber('READS_PER_EXECUTION') ? 'continue' : step.todo,
    pollAfterSeconds: pollAfterSeconds(order),
    round: step.signaturesRound?.number ?? step.documentsRound ?? 0,
    documents: step.todo === 'act' ? items(record, filePositions(record, order, step)) : [],
    choices: items(record, choices.open),
  };
}

async function knownFacts(
  record: OrderItem,
  order: Order,
  choices: { decided: boolean; open: unknown[] },
): Promise<KnownFacts> {
  const done = (kind: 'documents' | 'signatures', round: number | undefined) =>
    round === undefined ? false : isDone(record.orderRef, acceptName(kind, round));
  return {
    record,
    documentsAccepted: order.status === 'WAITING_FOR_DOCUMENTS' && (await done('documents', record.documentsRound)),
    signaturesAccepted:
      order.status === 'WAITING_FOR_SIGNATURE' && (await done('signatures', record.signaturesRound?.number)),
    openChoices: choices.open.length,
    decided: choices.decided,
  };
}

/** A poll that brings nothing new writes nothing. */
async function keepChanges(record: OrderItem, order: Order, text: string, step: NextStep): Promise<void> {
  const snapshotSha256 = createHash('sha256').update(text).digest('hex');
  const rounds = {
    ...(step.documentsRound && { documentsRound: step.documentsRound }),
    ...(step.signaturesRound && { signaturesRound: step.signaturesRound }),
  };
  const waitingFor = waitsFor(order.status);
  const known = snapshotSha256 === record.snapshotSha256 && waitingFor === record.waitingFor;
  if (known && Object.keys(rounds).length === 0) return;
  await stageText(record.orderRef, 'snapshot.json', text);
  const offers = memberText(text, 'offers');
  if (offers !== undefined) await stageText(record.orderRef, 'offers.json', offers);
  const issues = memberText(text, 'issues');
  if (order.status === 'VALIDATION_FAILED') await stageText(record.orderRef, 'issues.json', issues ?? '[]');
  await changeOrder(record, { snapshotSha256, status: order.status, waitingFor, ...rounds });
  if (order.status !== record.status) await addEvent(record.orderRef, `Status ${order.status}`);
  else if (waitingFor === record.waitingFor) return;
  await stageStatus({ ...record, status: order.status, waitingFor });
}

function waitsFor(status: string): WaitingFor {
  return status === 'CLOSED' || status === 'VALIDATION_FAILED' ? 'nobody' : 'service';
}

/** Positions of the documents to upload, or of those to sign. */
function filePositions(record: OrderItem, order: Order, step: NextStep): number[] {
  const files = order.status === 'WAITING_FOR_DOCUMENTS' ? record.documents : (step.signaturesRound?.fileIds ?? []);
  return [...files.keys()];
}

function items({ orderRef, generation }: OrderItem, positions: number[]) {
  return positions.map((position) => ({ orderRef, generation, position }));
}

function pollAfterSeconds(order: Order): number {
  const { seconds, remark } = clampPollAfterSeconds(order.pollAfterSeconds, {
    minimum: environmentNumber('POLL_MINIMUM_SECONDS'),
    maximum: environmentNumber('POLL_MAXIMUM_SECONDS'),
    fallback: environmentNumber('POLL_DEFAULT_SECONDS'),
  });
  if (remark) logger.warn(remark);
  return seconds;
}

function refuseEndlessRepeats(record: OrderItem, status: string, repeats: number): void {
  if (repeats <= environmentNumber('REPEATS_LIMIT')) return;
  throw new UnexpectedResponse(
    `Order ${record.orderRef} is still ${status} after ${repeats} reads, though everything was uploaded and accepted. ` +
      'Ask the order service what it waits for; a retry reads the order again.',
  );
}

export const handler = middy(readOrder).use(operatorLog());
