import type { State } from '../../core/ledger/knowledge.ts';
import { acceptName } from '../../core/order/operation-names.ts';
import { settleAsNotDone } from '../../core/order/order-ledger.ts';
import type { NextStep } from '../../core/reading/next-step.ts';
import { acceptState, roundOf, settleAccept } from '../../core/reading/settle-accepts.ts';
import type { ReadOrderInput } from './cursor.ts';
import type { Read } from './keep-read.ts';

/** What is known of the accept of the round that the order waits for. */
export async function acceptOfRound({ record, order: { status } }: Read, { known }: ReadOrderInput): Promise<State> {
  const round = roundOf(record, status);
  return round ? acceptState(record, round, known?.accepted) : 'none';
}

/** Records the outcome of an accept, if the read shows it. */
export async function settleRound({ record, order }: Read, step: NextStep, { known }: ReadOrderInput): Promise<void> {
  const left = roundOf(record, record.status);
  if (!left) return;
  if (step.isNotAccepted) return settleAsNotDone(record.orderRef, acceptName(left.kind, left.number));
  const isNext = (step.signaturesRound?.number ?? 0) > left.number && left.kind === 'signatures';
  if (isNext || order.status !== record.status) await settleAccept(record, left, known?.accepted);
}
