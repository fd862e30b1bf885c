import { isOver, type OrderItem } from '../core/order/order-item.ts';
import type { Removed } from '../core/recovery/remove-order.ts';
import { type AddCommand, ofOrder, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { refuseRunning } from './shared/executions.ts';
import { type CommandResult, Refusal, time } from './shared/text.ts';

export const addErase: AddCommand = (program, perform) =>
  ofOrder(
    program,
    'erase',
    'remove the files of an order that is over, and what may be personal in its record, for good',
  )
    .requiredOption('--confirm <orderRef>', 'the orderRef once more')
    .action(async (orderRef: string, { confirm }: { confirm: string }) => {
      if (confirm === orderRef) return withConnection(perform, erase)(orderRef);
      throw new Refusal(
        `--confirm says ${confirm}, not ${orderRef}: nothing was erased. Repeat the orderRef after --confirm.`,
      );
    });

export async function erase(connection: StageConnection, orderRef: string): Promise<CommandResult> {
  const { order } = await connection.record.details(orderRef);
  await refuse(connection, order);
  const { reduceRecord, removeFiles } = await import('../core/recovery/remove-order.ts');
  const [{ client, intake, staging }, by] = [await connection.buckets(), await connection.by()];
  const { table } = connection.record;
  const data = { table, intake: { client, bucket: intake }, staging: { client, bucket: staging } };
  const files = await removeFiles(data, order, by);
  await refuseKept(connection, files);
  const reduced = await reduceRecord(data, files.order, by);
  await refuseKept(connection, reduced);
  const { removal } = reduced.order;
  const nothing = files.count === 0 && reduced.count === 0;
  return {
    lines: [
      nothing
        ? `Order ${orderRef} was erased before, at ${time(removal?.record?.endedAt)}: nothing was left.`
        : `Order ${orderRef} is erased: ${files.count} versions of files and ${reduced.count} items of its record. ` +
          `orders/${orderRef}/erased.json in staging proves it.`,
    ],
    json: { orderRef, versions: files.count, items: reduced.count, removal },
  };
}

/** @throws Refusal when the order must be kept, or is not over. */
async function refuse({ outputs, executions }: StageConnection, order: OrderItem): Promise<void> {
  const { orderRef, status, legalHold } = order;
  if (outputs('LegalHold') === 'true') {
    throw new Refusal(
      `The stage keeps all data (retention.legalHold): nothing of order ${orderRef} was erased. Ask who set it.`,
    );
  }
  if (legalHold) throw held(orderRef);
  if (!isOver(order)) {
    throw new Refusal(
      `Order ${orderRef} is ${status}: nothing was erased. Only an order that is over can be erased: it is CLOSED or VALIDATION_FAILED, or was dismissed.`,
    );
  }
  refuseRunning(await executions.since(order), orderRef, 'erased');
}

/** @throws Refusal when the order was put on hold, or brought back by a retry, while this command was running. */
async function refuseKept({ record }: StageConnection, { ended, order: { orderRef } }: Removed): Promise<void> {
  if (ended !== 'kept') return;
  const { order } = await record.details(orderRef);
  if (order.legalHold) throw held(orderRef);
  throw new Refusal(
    `Order ${orderRef} was brought back while this command was at work: nothing more of it was erased. See "loan-orders show ${orderRef}".`,
  );
}

function held(orderRef: string): Refusal {
  return new Refusal(
    `Order ${orderRef} is on hold: nothing more of it was erased. See "loan-orders show ${orderRef}" for who put it on hold.`,
  );
}
