import { mayBeDone } from '../../core/ledger/knowledge.ts';
import { confirmName } from '../../core/order/operation-names.ts';
import type { OperatorsWord } from '../../core/order/operators-word.ts';
import type { StageConnection } from '../shared/connection.ts';
import { type CommandResult, Refusal, time } from '../shared/text.ts';

/**
 * `resolve <orderRef> --offer <offerId>`: records the bank's answer about a confirm of unknown outcome, which reads may never show. The
 * order is still polled, and its next read uses the answer.
 */
export async function resolveOffer(
  { record }: StageConnection,
  orderRef: string,
  offerId: string,
  isConfirmed: boolean,
): Promise<CommandResult> {
  const { operations } = await record.details(orderRef);
  const confirm = operations.find(({ item }) => item === `operation#${confirmName(offerId)}`);
  if (!confirm || !mayBeDone(confirm.knowledge)) {
    const known = confirm ? `is known: ${confirm.knowledge.state === 'done' ? '' : 'not '}confirmed` : 'was never sent';
    throw new Refusal(`The confirm of offer ${offerId} of order ${orderRef} ${known}. Nothing was recorded.`);
  }
  const { creationOverAt } = await import('../../core/order/creation-word.ts');
  const over = creationOverAt(confirm, Date.now());
  if (over)
    throw new Refusal(
      `The confirm of offer ${offerId} may still be under way: nothing was recorded. Ask the bank and repeat this after ${time(over.toISOString())}.`,
    );
  const said = `An operator says that an offer was ${isConfirmed ? '' : 'not '}confirmed` as const;
  await record.addToTimeline(orderRef, said, { offer: offerId });
  const { item, attempts, intent } = confirm;
  const at = new Date().toISOString();
  const word: OperatorsWord = isConfirmed
    ? { state: 'done', outcome: { offerId, ...intent }, attempts, at }
    : { state: 'none', attempts, at };
  await record.table.updateItem({ orderRef, item }, { said: word });
  return {
    lines: [`Recorded: offer ${offerId} of order ${orderRef} was ${isConfirmed ? '' : 'not '}confirmed.`],
    json: { orderRef, offerId, confirmed: isConfirmed },
  };
}
