import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { checkOrder } from '../../simulation/checks/checks.ts';
import { eventProblems } from '../../simulation/checks/event-checks.ts';
import { EventWitness } from '../../simulation/checks/event-witness.ts';
import type { Evidence } from '../../simulation/checks/evidence.ts';
import { finishedOrder } from './evidence.ts';

// Mutations show that the other checks find what they look for (npm run simulate -- --mutations).

type Spoil = (evidence: Evidence, order: SimulatedOrder) => void;

const violations = (evidence: Evidence) => checkOrder(evidence).violations.map(({ what }) => what);

/** Changes the item of our record whose name begins like this; without changes, takes away all such items. */
const item =
  (name: string, changes?: object): Spoil =>
  (evidence) => {
    const found = evidence.items.filter((one) => one.item.startsWith(name));
    if (changes) Object.assign(found[0] ?? {}, changes);
    else evidence.items = evidence.items.filter((one) => !found.includes(one));
  };
const doneAgain =
  (name: string): Spoil =>
  ({ items }) =>
    void items.push({ orderRef: 'order-1', item: `operation#${name}`, state: 'done' });
const order = (changes: object) => item('order', changes);
const evidently =
  (changes: Partial<Evidence>): Spoil =>
  (evidence) =>
    void Object.assign(evidence, changes);
const wrongBytes = (sent?: { file: object }) =>
  void (sent && Object.assign(sent, { file: { ...sent.file, sha256: '' } }));
const failed = (error: string) => evidently({ history: { failures: [{ error, cause: '', at: '' }], untried: [] } });

test.each<[string, Spoil]>([
  ['an execution of it is still running', evidently({ running: true })],
  ['it waits for an operator without saying why', order({ waitingFor: 'operator', failure: { error: 'Rejected' } })],
  ['its package was neither started nor rejected', evidently({ orders: [], items: [] })],
  ['its package was rejected although it is good', evidently({ orders: [], items: [], rejected: true })],
  ['it failed as DocumentChanged although there was no reason for it', failed('DocumentChanged')],
  ['document-0 did not arrive with the right bytes', (_all, { uploadedDocuments }) => void uploadedDocuments.shift()],
  ['document-0 arrived with wrong bytes', (_all, at) => wrongBytes(at.uploadedDocuments[0])],
  ['a signature of <id> arrived with wrong bytes', ({ plan }) => void Object.assign(plan, { signer: 'KMS' })],
  ['a signature of <id> arrived with wrong bytes', (_all, at) => wrongBytes(at.signatures[0])],
  ['the signature of <id> did not arrive', (_all, { generatedDocuments: [one] }) => void delete one?.signature],
  ['offer <id> was confirmed with <code>, which nobody chose', ({ acts }) => void acts.chosen.shift()],
  ['it was closed without any chosen offer confirmed', (_all, at) => void at.confirmations.splice(0)],
  ['our record has a different orderId', order({ orderId: 'other' })],
  ['our record says OFFERS_APPROVED, but the service says CLOSED', order({ status: 'OFFERS_APPROVED' })],
  ['the service has the order, but our record has no orderId', order({ orderId: undefined })],
  ['our record says that it was not created', item('operation#create', { state: 'none' })],
  ['the service has the order, but we have no record of it', evidently({ items: [], rejected: true })],
  [
    'our record says that <id> is confirmed, but the service has not confirmed it',
    (_all, at) => void at.confirmations.shift(),
  ],
  [
    'our record says that <id> is confirmed with ANOTHER, but the service has FIRST-12',
    item('operation#confirm', { outcome: { code: 'ANOTHER' } }),
  ],
  ['the service has confirmed <id>, but our record says nothing', item('operation#confirm')],
  ['the order is final, but the outcome of confirm#<id> is unknown', item('operation#confirm', { state: 'open' })],
  ['upload of document-0: done 2 times by our record, 1 times at the service', doneAgain('upload-document#1#0@other')],
  ['accept of documents: done 2 times by our record, 1 times at the service', doneAgain('accept-documents#2')],
  ['accept of signatures: done 2 times by our record, 1 times at the service', doneAgain('accept-signatures#2')],
  ['the order is over, but choices.json does not show the choice of <id>', evidently({ choicesPage: undefined })],
  [
    'choices.json shows the choice of other, which is not in our record',
    ({ choicesPage }) => void choicesPage?.choices.push({ offerId: 'other', code: '', state: '' }),
  ],
  [
    'the order is over, but choices.json says of <id>: code ANOTHER in place of FIRST-12',
    ({ choicesPage }) => void Object.assign(choicesPage?.choices[0] ?? {}, { code: 'ANOTHER' }),
  ],
  [
    'the choice of <id> was lost: no confirm was tried',
    (evidence, at) => {
      const { offerId } = at.confirmations.pop() ?? {};
      item(`operation#confirm#${offerId}`)(evidence, at);
      for (const offer of at.offers) if (offer.offerId === offerId) offer.status = 'AVAILABLE';
    },
  ],
])('the checks find: %s', async (expected, spoil) => {
  const { evidence, order } = await finishedOrder();
  expect(violations(evidence)).toEqual([]);
  spoil(evidence, order);
  const ids = [...order.offers.map(({ offerId }) => offerId), ...evidence.acts.signatures.keys()];
  const codes = order.confirmations.map(({ code }) => `with ${code},`);
  const plain = (text: string) =>
    codes.reduce(
      (all, code) => all.replace(code, 'with <code>,'),
      ids.reduce((all, id) => all.replace(id, '<id>'), text),
    );
  expect(violations(evidence).map(plain)).toContain(expected);
});

test('the witness of events finds what is told too early, twice, of a rejected upload twice, and of none', () => {
  const witness = new EventWitness();
  const tell = (type: string, detail: object) =>
    witness.onChange({
      type: 'event',
      bus: 'loan-orders-local',
      event: { source: 'loan-orders', 'detail-type': type, detail: { orderRef: 'order-1', ...detail } as never },
    });
  witness.onChange({ type: 'object', bucket: 'staging', key: 'rejected/orders/order-1/order.json/v1.json' } as never);
  for (const status of ['IN_WORK', 'CLOSED']) tell('Order Status Changed', { id: 'order-1/1', sequence: 1, status });
  for (const id of ['one', 'other']) tell('Upload Rejected', { id, versionId: 'v2' });
  expect(witness.problems('order-1')).toEqual([
    'order-1/1 was told before it was recorded',
    'order-1/1 was told before it was recorded',
    'order-1/1 was told twice, and differently',
    'others were told "1 Order Status Changed CLOSED" instead of "nothing"',
    'nobody was told that v1 was rejected',
    'a rejected upload was told of under two ids',
  ]);
});

test('an event that was lost or never sent, and an end that nobody was told of, are problems', () => {
  const unsentEvents = [{ type: 'Order Failed', detail: { id: 'order-1/2', sequence: 2 } }];
  const record = {
    orderRef: 'order-1',
    item: 'order',
    status: 'CLOSED',
    waitingFor: 'nobody',
    eventCount: 2,
    unsentEvents,
  };
  expect(eventProblems([record], [])).toEqual([
    'its event 1 of 2 was lost',
    'its events 2 were never sent',
    'its end was told 0 times; it waits for nobody',
  ]);
});
