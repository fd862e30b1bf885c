import { describe, expect, test } from 'vitest';
import type { SimulatedOrder } from '../../../packages/order-simulator/index.ts';
import type { Evidence } from '../../simulation/checks/evidence.ts';
import { finishedOrder } from './evidence.ts';
import { change, first, forget, foundWhen, type Spoil, violations } from './spoiled.ts';

/** What `choices.json` says of a choice. */
function show({ choicesPage }: Evidence, offerId: string, state: string): void {
  for (const choice of choicesPage?.choices ?? []) if (choice.offerId === offerId) choice.state = state;
}

/** Makes the second chosen offer look as if no confirm was ever tried. */
function leaveOneChoice(evidence: Evidence, order: SimulatedOrder): string {
  const { offerId = '' } = order.confirmations.pop() ?? {};
  forget(evidence, `operation#confirm#${offerId}`);
  for (const offer of order.offers) if (offer.offerId === offerId) offer.status = 'AVAILABLE';
  show(evidence, offerId, 'not confirmed: the order was closed');
  return offerId;
}

/** Leaves the confirm of the first offer open, although the service has it. */
const leaveConfirmOpen = (evidence: Evidence) => change(evidence, 'operation#confirm', { state: 'open' });

/** Records an upload or an accept as done once more. */
const doneAgain = (name: string) => (evidence: Evidence, order: SimulatedOrder) => {
  const { fileId } = first(order.generatedDocuments);
  const item = `operation#${name.replace('<id>', fileId)}`;
  evidence.items.push({ orderRef: 'order-1', item, state: 'done' });
};

const ofLedger: [string, Spoil, string[]][] = [
  ['a lost choice', leaveOneChoice, ['the choice of <id> was lost: no confirm was tried']],
  ['a confirm that stays open', leaveConfirmOpen, ['the order is final, but the outcome of confirm#<id> is unknown']],
  [
    'a recorded code that differs from the code at the service',
    (evidence) => change(evidence, 'operation#confirm', { outcome: { code: 'ANOTHER' } }),
    ['our record says that <id> is confirmed with ANOTHER, but the service has FIRST-12'],
  ],
  [
    'a record without the orderId of a created order',
    (evidence) => change(evidence, 'order', { orderId: undefined }),
    ['the service has the order, but our record has no orderId'],
  ],
  [
    'a document that is called done but was never sent',
    doneAgain('upload-document#1#0@another-version'),
    ['upload of document-0: done 2 times by our record, 1 times at the service'],
  ],
  [
    'a signature that is called done but was never sent',
    doneAgain('upload-signature#1#<id>@another-version'),
    ['upload of the signature of <id>: done 2 times by our record, 1 times at the service'],
  ],
  [
    'an accept of documents that is called done but was never sent',
    doneAgain('accept-documents#2'),
    ['accept of documents: done 2 times by our record, 1 times at the service'],
  ],
  [
    'an accept of signatures that is called done but was never sent',
    doneAgain('accept-signatures#2'),
    ['accept of signatures: done 2 times by our record, 1 times at the service'],
  ],
];

test.each(ofLedger)('the checks find %s', async (_name, spoil, expected) => {
  expect(await foundWhen(spoil)).toEqual(expected);
});

describe('the checks find no violation', () => {
  test('in an order with an untried choice that a retry found CLOSED', async () => {
    const { evidence, order } = await finishedOrder();
    leaveOneChoice(evidence, order);
    evidence.retries = [first(order.confirmations).at];
    expect(violations(evidence)).toEqual([]);
    evidence.retries = [first(order.confirmations).at - 1];
    expect(violations(evidence)).toHaveLength(1);
  });

  test('in an order with an untried choice that was withdrawn or is no longer AVAILABLE', async () => {
    const { evidence, order } = await finishedOrder();
    const offerId = leaveOneChoice(evidence, order);
    const choices = evidence.acts.chosen.map((choice) =>
      choice.offerId === offerId ? { ...choice, withdrawn: true } : choice,
    );
    const items = evidence.items.map((item) => (item.item === 'order' ? { ...item, decision: { choices } } : item));
    show(evidence, offerId, 'withdrawn');
    expect(violations({ ...evidence, items })).toEqual([]);
    show(evidence, offerId, 'not confirmed: the order was closed');
    for (const offer of order.offers) if (offer.offerId === offerId) offer.status = 'EXPIRED';
    expect(violations(evidence)).toEqual([]);
  });

  test('in an order whose creation an absent operator would have to settle', async () => {
    const { evidence } = await finishedOrder();
    evidence.plan.operatorAway = true;
    const failure = { error: 'OutcomeUnknown', cause: 'The connection was lost.' };
    change(evidence, 'order', { orderId: undefined, waitingFor: 'operator', failure });
    expect(violations(evidence)).toEqual([]);
    evidence.plan.operatorAway = false;
    expect(violations(evidence)).toEqual(['it waits for an operator although one was present: OutcomeUnknown']);
  });
});
