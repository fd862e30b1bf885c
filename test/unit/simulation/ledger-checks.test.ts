import { describe, expect, test } from 'vitest';
import type { SimulatedOrder } from '../../../simulator/index.ts';
import type { Evidence } from '../../simulation/checks/evidence.ts';
import { finishedOrder } from './evidence.ts';
import { change, first, forget, foundWhen, type Spoil, violations } from './spoiled.ts';

/** The last of the two offers that were chosen, as if nobody had ever tried to confirm it. */
function leaveOneChoice(evidence: Evidence, order: SimulatedOrder): string {
  const { offerId = '' } = order.confirmations.pop() ?? {};
  forget(evidence, `operation#confirm#${offerId}`);
  for (const offer of order.offers) if (offer.offerId === offerId) offer.status = 'AVAILABLE';
  return offerId;
}

/** Leaves the confirm of the first offer open, which the service has all the same. */
const leaveConfirmOpen = (evidence: Evidence) => change(evidence, 'operation#confirm', { state: 'intended' });

/** An upload or an accept that the record has as done once more. */
const doneAgain = (name: string) => (evidence: Evidence, order: SimulatedOrder) => {
  const { fileId } = first(order.generatedDocuments);
  const item = `operation#${name.replace('<id>', fileId)}`;
  evidence.items.push({ orderRef: 'order-1', item, state: 'done' });
};

const ofLedger: [string, Spoil, string[]][] = [
  ['a choice was lost', leaveOneChoice, ['the choice of <id> was lost: nobody tried to confirm it']],
  ['a confirm stays open', leaveConfirmOpen, ['it is over, and nobody knows what became of confirm#<id>']],
  [
    'the record has another code than the service',
    (evidence) => change(evidence, 'operation#confirm', { outcome: { code: 'ANOTHER' } }),
    ['our record has <id> confirmed with ANOTHER, and the service with FIRST-12'],
  ],
  [
    'the record never learned of its creation',
    (evidence) => change(evidence, 'order', { orderId: undefined }),
    ['the service has it, and our record has no orderId'],
  ],
  [
    'a document was never sent that is called done',
    doneAgain('upload-document#1#0@another-version'),
    ['upload of document-0: done 2 times by our record, 1 times at the service'],
  ],
  [
    'a signature was never sent that is called done',
    doneAgain('upload-signature#1#<id>@another-version'),
    ['upload of the signature of <id>: done 2 times by our record, 1 times at the service'],
  ],
  [
    'an accept of documents was never sent that is called done',
    doneAgain('accept-documents#2'),
    ['accept of documents: done 2 times by our record, 1 times at the service'],
  ],
  [
    'an accept of signatures was never sent that is called done',
    doneAgain('accept-signatures#2'),
    ['accept of signatures: done 2 times by our record, 1 times at the service'],
  ],
];

test.each(ofLedger)('the checks find that %s', async (_name, spoil, expected) => {
  expect(await foundWhen(spoil)).toEqual(expected);
});

describe('the checks find nothing wrong', () => {
  test('with a choice that nobody tried once a retry found the order closed', async () => {
    const { evidence, order } = await finishedOrder();
    leaveOneChoice(evidence, order);
    evidence.retries = [first(order.confirmations).at];
    expect(violations(evidence)).toEqual([]);
    evidence.retries = [first(order.confirmations).at - 1];
    expect(violations(evidence)).toHaveLength(1);
  });

  test('with a choice that was withdrawn, or whose offer can be confirmed no longer', async () => {
    const { evidence, order } = await finishedOrder();
    const offerId = leaveOneChoice(evidence, order);
    const decision = { orderRef: 'order-1', item: 'decision', choices: [{ offerId, withdrawn: true }] };
    expect(violations({ ...evidence, items: [...evidence.items, decision] })).toEqual([]);
    for (const offer of order.offers) if (offer.offerId === offerId) offer.status = 'EXPIRED';
    expect(violations(evidence)).toEqual([]);
  });

  test('with a creation that an operator is asked about, or would be if he were not away', async () => {
    const { evidence } = await finishedOrder();
    evidence.plan.operatorAway = true;
    const failure = { error: 'OutcomeUnknown', cause: 'The connection was lost.' };
    change(evidence, 'order', { orderId: undefined, waitingFor: 'operator', failure });
    expect(violations(evidence)).toEqual([]);
    evidence.plan.operatorAway = false;
    expect(violations(evidence)).toEqual(['it waits for an operator who was there: OutcomeUnknown']);
  });
});
