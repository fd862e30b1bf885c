import middy from '@middy/core';
import type { Cursor } from '../create-order/handler.ts';
import { findDecision, isDecided, openPositions } from '../shared/decision.ts';
import { environmentNumber } from '../shared/environment.ts';
import { UnexpectedResponse } from '../shared/errors.ts';
import { type NextStep, nextStep } from '../shared/next-step.ts';
import { acceptName, isDone } from '../shared/operations.ts';
import { logger, operatorLog } from '../shared/operator-log.ts';
import { loadCreatedOrder, type OrderItem } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import type { Order } from '../shared/order-service-client.ts';
import { clampPollAfterSeconds } from '../shared/poll.ts';
import { recordRead, stageRead } from './keep-read.ts';

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
  const read = { record, order, text };
  await stageRead(read);
  const offers = order.offers ?? [];
  const decision = order.status.startsWith('OFFERS_') ? await findDecision(record.orderRef) : undefined;
  const open = openPositions(decision, offers);
  const facts = { openChoices: open.length, decided: isDecided(decision, offers) };
  const step = nextStep(order, { ...facts, ...(await roundFacts(record, order)), record });
  await recordRead(read, step);
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
    choices: items(record, open),
  };
}

/** Whether the round that the record knows of was accepted: asked of the ledger only where the status makes it matter. */
async function roundFacts({ orderRef, documentsRound, signaturesRound }: OrderItem, { status }: Order) {
  const accepted = async (kind: 'documents' | 'signatures', round: number | undefined) =>
    round !== undefined && (await isDone(orderRef, acceptName(kind, round)));
  return {
    documentsAccepted: status === 'WAITING_FOR_DOCUMENTS' && (await accepted('documents', documentsRound)),
    signaturesAccepted: status === 'WAITING_FOR_SIGNATURE' && (await accepted('signatures', signaturesRound?.number)),
  };
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
