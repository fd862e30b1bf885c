import { describe, expect, test } from 'vitest';
import { checkOrder } from '../../simulation/checks/checks.ts';
import { finishedOrder } from './evidence.ts';
import { change, first, forget, foundWhen, type Spoil, violations } from './spoiled.ts';

/** What is changed, and every violation that follows, with `<id>` instead of identifiers. */
const ofEnding: [string, Spoil, string[]][] = [
  ['an order that was created twice', ({ orders }, order) => void orders.push(order), ['it was created 2 times']],
  [
    'an order whose execution still runs',
    (evidence) => void Object.assign(evidence, { running: true }),
    ['an execution of it is still running'],
  ],
  [
    'a stopped order that waits for the service',
    (evidence) => change(evidence, 'order', { status: 'IN_WORK', waitingFor: 'service' }),
    ['it has stopped and no operator sees it: IN_WORK, waiting for service'],
  ],
  [
    'an order that waits for an operator without a cause',
    (evidence) => {
      evidence.plan.operatorAway = true;
      change(evidence, 'order', { waitingFor: 'operator', failure: { error: 'Rejected', cause: '' } });
    },
    ['it waits for an operator without saying why'],
  ],
  [
    'an order that waits for an operator who is present',
    (evidence) => {
      const failure = { error: 'Rejected', cause: 'The order service answered 409.' };
      change(evidence, 'order', { waitingFor: 'operator', failure });
    },
    ['it waits for an operator although one was present: Rejected'],
  ],
  [
    'a lost package',
    (evidence) => void Object.assign(evidence, { orders: [], items: [] }),
    ['its package was neither started nor rejected'],
  ],
  [
    'a good package that was rejected',
    (evidence) => void Object.assign(evidence, { orders: [], items: [], rejected: true }),
    ['its package was rejected although it is good'],
  ],
];

const ofFiles: [string, Spoil, string[]][] = [
  [
    'a missing document',
    (_evidence, order) => void order.uploadedDocuments.shift(),
    [
      'document-0 did not arrive with the right bytes',
      'upload of document-0: done 1 times by our record, 0 times at the service',
    ],
  ],
  [
    'a repeated document with other bytes',
    (_evidence, { uploadedDocuments }) => {
      const { file, ...document } = first(uploadedDocuments);
      uploadedDocuments.push({ ...document, file: { ...file, sha256: 'other' } });
    },
    ['document-0 arrived with wrong bytes'],
  ],
  [
    'a signature by another key than that of KMS',
    ({ plan }) => void Object.assign(plan, { signer: 'KMS' }),
    ['a signature of <id> arrived with wrong bytes', 'a signature of <id> arrived with wrong bytes'],
  ],
  [
    'a failure for which KMS gave no reason',
    (evidence) => void Object.assign(evidence.history, { failures: [{ error: 'SigningKeyUnusable', cause: '' }] }),
    ['it failed as SigningKeyUnusable although there was no reason for it'],
  ],
  [
    'an order that a few unusable reads have ended',
    (evidence) => {
      evidence.history.failures = [
        { error: 'UnexpectedResponse', cause: 'Read order: the order has no status', at: '' },
      ];
    },
    ['it failed as UnexpectedResponse although there was no reason for it'],
  ],
  [
    'a failure over a document that was not replaced',
    (evidence) => void Object.assign(evidence.history, { failures: [{ error: 'DocumentChanged', cause: '' }] }),
    ['it failed as DocumentChanged although there was no reason for it'],
  ],
  [
    'a choice that a refused confirm has stopped',
    ({ history }, { offers }) => void Object.assign(history, { untried: [first(offers).offerId] }),
    ['a refused confirm stopped the confirm of <id>'],
  ],
  [
    'an order whose end was seen days later',
    ({ history }, { progress }) => {
      history.closedAt = (progress.history.at(-1)?.at ?? 0) + 4 * 86_400_000;
    },
    ['our record learned days later that the order was closed'],
  ],
  [
    'a missing signature',
    (_evidence, order) => void delete first(order.generatedDocuments).signature,
    ['the signature of <id> did not arrive'],
  ],
  [
    'a signature with bytes that the partner never uploaded',
    (_evidence, order) => void Object.assign(first(order.signatures), { file: { sha256: 'other' } }),
    ['a signature of <id> arrived with wrong bytes'],
  ],
];

const STILL_CONFIRMED =
  'the order is over, but choices.json says of <id>: "confirmed" in place of "not confirmed: the order was closed"';

const ofOffers: [string, Spoil, string[]][] = [
  [
    'a confirmed offer that nobody chose',
    ({ acts }) => void acts.chosen.shift(),
    ['offer <id> was confirmed with <code>, which nobody chose'],
  ],
  [
    'an offer confirmed with another code',
    ({ acts }) => void Object.assign(first(acts.chosen), { code: 'another' }),
    ['offer <id> was confirmed with <code>, which nobody chose'],
  ],
  [
    'an offer confirmed twice',
    (_evidence, order) => void order.confirmations.push(first(order.confirmations)),
    ['offer <id> was confirmed twice'],
  ],
  [
    'a closed order without a confirmed offer',
    (evidence, order) => {
      order.confirmations = [];
      forget(evidence, 'operation#confirm');
    },
    ['it was closed without any chosen offer confirmed', STILL_CONFIRMED, STILL_CONFIRMED],
  ],
];

const ofRecord: [string, Spoil, string[]][] = [
  [
    'a record with another orderId',
    (evidence) => change(evidence, 'order', { orderId: 'other' }),
    ['our record has a different orderId'],
  ],
  [
    'a record with another status',
    (evidence) => change(evidence, 'order', { status: 'OFFERS_APPROVED' }),
    ['our record says OFFERS_APPROVED, but the service says CLOSED'],
  ],
  [
    'a recorded confirm that the service never got',
    (_evidence, order) => void order.confirmations.shift(),
    ['our record says that <id> is confirmed, but the service has not confirmed it', STILL_CONFIRMED],
  ],
  [
    'a confirm that is missing in the record',
    (evidence) => forget(evidence, 'operation#confirm'),
    Array(2).fill('the service has confirmed <id>, but our record says nothing'),
  ],
  [
    'a confirm that the record calls not done',
    (evidence) => change(evidence, 'operation#confirm', { state: 'none' }),
    ['the service has confirmed <id>, but our record says none'],
  ],
  [
    'a creation that the record calls not done',
    (evidence) => change(evidence, 'operation#create', { state: 'none' }),
    ['our record says that it was not created'],
  ],
  [
    'an order without a record',
    (evidence) => void Object.assign(evidence, { items: [], rejected: true }),
    ['its package was rejected although it is good', 'the service has the order, but we have no record of it'],
  ],
];

describe('the checks find', () => {
  test.each([...ofEnding, ...ofFiles, ...ofOffers, ...ofRecord])('%s', async (_name, spoil, expected) => {
    expect(await foundWhen(spoil)).toEqual(expected);
  });

  test('a read that was too early', async () => {
    const { evidence, order, partner } = await finishedOrder();
    await partner.read(order.orderId);
    const { calls } = { ...evidence, calls: partner.simulator.calls() };
    expect(violations({ ...evidence, calls })).toEqual([`call ${calls.length} polled 2 s too early`]);
  });

  test('a confirmed offer that the rule does not choose', async () => {
    const { evidence, order } = await finishedOrder({ choose: 'rule' });
    const { offerId, creditOptions } = order.offers.at(-1) ?? { offerId: '', creditOptions: [] };
    order.confirmations.push({ offerId, code: creditOptions[0]?.code ?? '', at: 0 });
    expect(violations(evidence)[0]).toMatch(`offer ${offerId} was confirmed with`);
  });
});

describe('the checks find no violation', () => {
  test.each(['manual', 'rule'] as const)('in an order that went well, with offers chosen by %s', async (choose) => {
    const { evidence } = await finishedOrder({ choose });
    expect(checkOrder(evidence)).toEqual({ outcome: 'CLOSED', violations: [] });
  });

  test('in an order that waits for an absent operator', async () => {
    const { evidence } = await finishedOrder();
    const failure = { error: 'Throttled', cause: 'The order service answered 429.' };
    evidence.plan.operatorAway = true;
    change(evidence, 'order', { status: 'OFFERS_APPROVED', waitingFor: 'operator', failure });
    change(evidence, 'operation#confirm', { state: 'open' });
    expect(checkOrder(evidence)).toEqual({ outcome: 'waits for an operator: Throttled', violations: [] });
  });

  test('in a broken package that was rejected', async () => {
    const { evidence } = await finishedOrder();
    const plan = { ...evidence.plan, broken: { correctedAfter: undefined } };
    const answered = { ...evidence, plan, orders: [], items: [], calls: [], rejected: true };
    expect(checkOrder(answered)).toEqual({ outcome: 'package rejected', violations: [] });
  });

  test('in an order whose files arrived more than once', async () => {
    const { evidence, order } = await finishedOrder();
    order.uploadedDocuments.push(...order.uploadedDocuments);
    order.signatures.push(...order.signatures);
    expect(violations(evidence)).toEqual([]);
  });
});
