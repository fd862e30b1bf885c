import { describe, expect, test } from 'vitest';
import { checkOrder } from '../../simulation/checks/checks.ts';
import { finishedOrder } from './evidence.ts';
import { change, first, forget, foundWhen, type Spoil, violations } from './spoiled.ts';

/** What is spoiled, and every violation that follows, `<id>` in place of identifiers. */
const ofEnding: [string, Spoil, string[]][] = [
  ['it was created again', ({ orders }, order) => void orders.push(order), ['it was created 2 times']],
  [
    'an execution goes on',
    (evidence) => void Object.assign(evidence, { running: true }),
    ['an execution of it is still running'],
  ],
  [
    'nobody sees that it stands still',
    (evidence) => change(evidence, 'order', { status: 'IN_WORK', waitingFor: 'service' }),
    ['it stands still unseen: IN_WORK, waiting for service'],
  ],
  [
    'an operator is not told why',
    (evidence) => {
      evidence.plan.operatorAway = true;
      change(evidence, 'order', { waitingFor: 'operator', failure: { error: 'Rejected', cause: '' } });
    },
    ['it waits for an operator, and does not say why'],
  ],
  [
    'it waits for an operator who is there',
    (evidence) => {
      const failure = { error: 'Rejected', cause: 'The order service answered 409.' };
      change(evidence, 'order', { waitingFor: 'operator', failure });
    },
    ['it waits for an operator who was there: Rejected'],
  ],
  [
    'the package was lost',
    (evidence) => void Object.assign(evidence, { orders: [], items: [] }),
    ['its package was neither started nor answered'],
  ],
  [
    'a good package was rejected',
    (evidence) => void Object.assign(evidence, { orders: [], items: [], rejected: true }),
    ['its package is good, and was rejected'],
  ],
];

const ofFiles: [string, Spoil, string[]][] = [
  [
    'a document is missing',
    (_evidence, order) => void order.uploadedDocuments.shift(),
    [
      'document-0 did not arrive with its bytes',
      'upload of document-0: done 1 times by our record, 0 times at the service',
    ],
  ],
  [
    'a document came again with other bytes',
    (_evidence, { uploadedDocuments }) => {
      const { file, ...document } = first(uploadedDocuments);
      uploadedDocuments.push({ ...document, file: { ...file, sha256: 'other' } });
    },
    ['document-0 arrived with wrong bytes'],
  ],
  [
    'a signature is missing',
    (_evidence, order) => void delete first(order.generatedDocuments).signature,
    ['the signature of <id> did not arrive'],
  ],
  [
    'a signature has bytes that the partner never uploaded',
    (_evidence, order) => void Object.assign(first(order.signatures), { file: { sha256: 'other' } }),
    ['a signature of <id> arrived with wrong bytes'],
  ],
];

const ofOffers: [string, Spoil, string[]][] = [
  [
    'an offer that nobody chose was confirmed',
    ({ acts }) => void acts.chosen.shift(),
    ['offer <id> was confirmed with <code>, which nobody chose'],
  ],
  [
    'an offer was confirmed with another code',
    ({ acts }) => void Object.assign(first(acts.chosen), { code: 'another' }),
    ['offer <id> was confirmed with <code>, which nobody chose'],
  ],
  [
    'an offer was confirmed twice',
    (_evidence, order) => void order.confirmations.push(first(order.confirmations)),
    ['offer <id> was confirmed twice'],
  ],
  [
    'no offer was confirmed',
    (evidence, order) => {
      order.confirmations = [];
      forget(evidence, 'operation#confirm');
    },
    ['it was closed without the offers that were chosen'],
  ],
];

const ofRecord: [string, Spoil, string[]][] = [
  [
    'the record knows another order',
    (evidence) => change(evidence, 'order', { orderId: 'other' }),
    ['our record has another orderId'],
  ],
  [
    'the record has another status',
    (evidence) => change(evidence, 'order', { status: 'OFFERS_APPROVED' }),
    ['our record says OFFERS_APPROVED, and the service CLOSED'],
  ],
  [
    'the record has a confirm that never came',
    (_evidence, order) => void order.confirmations.shift(),
    ['our record has <id> confirmed, and the service has not'],
  ],
  [
    'the record has no word of a confirm',
    (evidence) => forget(evidence, 'operation#confirm'),
    Array(2).fill('the service has <id> confirmed, and our record says nothing'),
  ],
  [
    'the record says that a confirm was not done',
    (evidence) => change(evidence, 'operation#confirm', { state: 'not-done' }),
    ['the service has <id> confirmed, and our record says unlikely'],
  ],
  [
    'the record says that it was not created',
    (evidence) => change(evidence, 'operation#create', { state: 'not-done' }),
    ['our record says that it was not created'],
  ],
  [
    'there is no record',
    (evidence) => void Object.assign(evidence, { items: [], rejected: true }),
    ['its package is good, and was rejected', 'the service has it, and our record does not'],
  ],
];

describe('the checks find', () => {
  test.each([...ofEnding, ...ofFiles, ...ofOffers, ...ofRecord])('that %s', async (_name, spoil, expected) => {
    expect(await foundWhen(spoil)).toEqual(expected);
  });

  test('a read that came too early', async () => {
    const { evidence, order, partner } = await finishedOrder();
    await partner.read(order.orderId);
    const { calls } = { ...evidence, calls: partner.simulator.calls() };
    expect(violations({ ...evidence, calls })).toEqual([`call ${calls.length} polled 2 s too early`]);
  });

  test('an offer beyond those that the rule chooses', async () => {
    const { evidence, order } = await finishedOrder({ choose: 'rule' });
    const { offerId, creditOptions } = order.offers.at(-1) ?? { offerId: '', creditOptions: [] };
    order.confirmations.push({ offerId, code: creditOptions[0]?.code ?? '', at: 0 });
    expect(violations(evidence)[0]).toMatch(`offer ${offerId} was confirmed with`);
  });
});

describe('the checks find nothing wrong', () => {
  test.each(['manual', 'rule'] as const)('with an order that went well, its offers chosen by %s', async (choose) => {
    const { evidence } = await finishedOrder({ choose });
    expect(checkOrder(evidence)).toEqual({ outcome: 'CLOSED', violations: [] });
  });

  test('with one that waits for an operator who is away, wherever the service has it', async () => {
    const { evidence } = await finishedOrder();
    const failure = { error: 'Throttled', cause: 'The order service answered 429.' };
    evidence.plan.operatorAway = true;
    change(evidence, 'order', { status: 'OFFERS_APPROVED', waitingFor: 'operator', failure });
    change(evidence, 'operation#confirm', { state: 'intended' });
    expect(checkOrder(evidence)).toEqual({ outcome: 'waits for an operator: Throttled', violations: [] });
  });

  test('with a broken package that was answered', async () => {
    const { evidence } = await finishedOrder();
    const plan = { ...evidence.plan, broken: { correctedAfter: undefined } };
    const answered = { ...evidence, plan, orders: [], items: [], calls: [], rejected: true };
    expect(checkOrder(answered)).toEqual({ outcome: 'package rejected', violations: [] });
  });

  test('with files that came more than once', async () => {
    const { evidence, order } = await finishedOrder();
    order.uploadedDocuments.push(...order.uploadedDocuments);
    order.signatures.push(...order.signatures);
    expect(violations(evidence)).toEqual([]);
  });
});
