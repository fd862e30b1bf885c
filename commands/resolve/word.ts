import { mayBeDone } from '../../core/ledger/knowledge.ts';
import { confirmName, uploadDocumentPrefix, uploadSignaturePrefix } from '../../core/order/operation-names.ts';
import type { OperatorsWord } from '../../core/order/operators-word.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import type { WhatHappened } from '../../core/order/what-happened.ts';
import type { StageConnection } from '../shared/connection.ts';
import { refuseRunning } from '../shared/executions.ts';
import type { OperationEntry } from '../shared/order-details.ts';
import { type CommandResult, Refusal, time } from '../shared/text.ts';

/**
 * `resolve <orderRef> --offer <offerId>`: records the bank's answer about a confirm of unknown outcome, which reads may never show. The
 * order is still polled, and its next read uses the answer.
 */
export async function resolveOffer(
  connection: StageConnection,
  orderRef: string,
  offerId: string,
  isConfirmed: boolean,
): Promise<CommandResult> {
  const { operations } = await connection.record.details(orderRef);
  const confirm = operations.find(({ item }) => item === `operation#${confirmName(offerId)}`);
  if (!confirm || !mayBeDone(confirm.knowledge)) {
    const known = confirm ? `is known: ${confirm.knowledge.state === 'done' ? '' : 'not '}confirmed` : 'was never sent';
    throw new Refusal(`The confirm of offer ${offerId} of order ${orderRef} ${known}. Nothing was recorded.`);
  }
  const said = `An operator says that an offer was ${isConfirmed ? '' : 'not '}confirmed` as const;
  const outcome = isConfirmed ? { offerId, ...confirm.intent } : undefined;
  await recordWord(connection, confirm, said, { offer: offerId }, outcome);
  return {
    lines: [`Recorded: offer ${offerId} of order ${orderRef} was ${isConfirmed ? '' : 'not '}confirmed.`],
    json: { orderRef, offerId, confirmed: isConfirmed },
  };
}

/** `resolve <orderRef> --upload <number> --done`: records a person's word that an upload of unknown outcome was done. No read shows it. */
export async function resolveUpload(
  connection: StageConnection,
  orderRef: string,
  upload: number,
): Promise<CommandResult> {
  const { order, operations } = await connection.record.details(orderRef);
  refuseRunning(await connection.executions.since(order), orderRef, 'recorded');
  const prefix = `operation#${prefixOf(order, upload)}`;
  // A version has no @, but a `fileId` may.
  const isOfUpload = (item: string) => item.slice(0, item.lastIndexOf('@') + 1) === prefix;
  const open = operations.findLast(({ item, knowledge }) => isOfUpload(item) && knowledge.state === 'open');
  if (!open) throw new Refusal(`Order ${orderRef} has no upload ${upload} of unknown outcome. Nothing was recorded.`);
  await recordWord(connection, open, 'An operator says that an upload was done', { upload }, {});
  const lines = [
    `Recorded: upload ${upload} of order ${orderRef} was done. If that is not so, the order is accepted without the document.`,
    `Continue with "loan-orders retry ${orderRef}".`,
  ];
  return { lines, json: { orderRef, upload } };
}

/** What the order's last round sends: documents of the package, or signatures of the files of the round. */
function prefixOf({ status, rounds }: OrderItem, upload: number): string {
  if (status !== 'WAITING_FOR_SIGNATURE') return uploadDocumentPrefix(rounds?.documents?.number ?? 1, upload - 1);
  const { number = 0, fileIds = [] } = rounds?.signatures ?? {};
  return uploadSignaturePrefix(number, fileIds[upload - 1] ?? '');
}

/** @param outcome absent if the operation was not done. */
async function recordWord(
  { record }: StageConnection,
  entry: OperationEntry,
  said: WhatHappened,
  facts: Record<string, string | number>,
  outcome: object | undefined,
): Promise<void> {
  const { orderRef, item, attempts } = entry;
  const { creationOverAt } = await import('../../core/order/creation-word.ts');
  const over = creationOverAt(entry, Date.now());
  if (over)
    throw new Refusal(
      `The call may still be under way: nothing was recorded. Repeat this after ${time(over.toISOString())}.`,
    );
  await record.addToTimeline(orderRef, said, facts);
  const at = new Date().toISOString();
  const word: OperatorsWord = { state: outcome ? 'done' : 'none', outcome, attempts, at };
  await record.table.updateItem({ orderRef, item }, { said: word });
}
