import { describe, expect, test } from 'vitest';
import { MAX_DOCUMENTS_TO_SIGN } from '../../../../core/order/work-size.ts';
import type { Order } from '../../../../core/order-service/order-service-client.ts';
import { asksForOthers, type KnownFacts, nextStep } from '../../../../core/reading/next-step.ts';

function known(facts: Partial<KnownFacts> & { status?: string } = {}): KnownFacts {
  const { status = 'IN_WORK', record, ...rest } = facts;
  return {
    record: { orderRef: 'ref-1', generation: 1, status, ...record },
    accept: 'none',
    openChoices: 0,
    isUnsettled: false,
    decided: false,
    confirmed: false,
    isBelieved: false,
    ...rest,
  };
}

const order = (status: string, more: Partial<Order> = {}) => ({ status, ...more }) as Order;
const files = (...fileIds: string[]) => ({ documents: fileIds.map((fileId) => ({ fileId })) }) as Partial<Order>;
const record = (more: Partial<KnownFacts['record']>) => ({
  orderRef: 'ref-1',
  generation: 1,
  status: 'IN_WORK',
  ...more,
});
const asked = (times: number, generation = 1) => ({ times, generation });

test.each(['CLOSED', 'VALIDATION_FAILED'])('the status %s is final', (status) => {
  expect(nextStep(order(status), known())).toEqual({ todo: 'act' });
});

test('the next step of an order that is IN_WORK is to wait', () => {
  expect(nextStep(order('IN_WORK'), known())).toEqual({ todo: 'wait' });
});

test('the first WAITING_FOR_DOCUMENTS begins round 1 of documents', () => {
  expect(nextStep(order('WAITING_FOR_DOCUMENTS'), known())).toEqual({
    todo: 'act',
    documentsRound: 1,
    documentsAsked: asked(1),
  });
});

test('an interrupted round of documents is resumed', () => {
  const facts = known({ record: record({ status: 'WAITING_FOR_DOCUMENTS', documentsRound: 1 }) });
  expect(nextStep(order('WAITING_FOR_DOCUMENTS'), facts)).toEqual({ todo: 'act', documentsRound: 1 });
});

test('WAITING_FOR_DOCUMENTS right after the accept begins a second round only when it is believed', () => {
  const read = order('WAITING_FOR_DOCUMENTS');
  const waiting = record({ status: 'WAITING_FOR_DOCUMENTS', documentsRound: 1 });
  const facts = known({ record: waiting, accept: 'done' });
  expect(nextStep(read, facts)).toEqual({ todo: 'wait', isAnswered: true });
  expect(nextStep(read, { ...facts, isBelieved: true })).toEqual({
    todo: 'act',
    documentsRound: 2,
    documentsAsked: asked(1),
  });
});

test('WAITING_FOR_DOCUMENTS after another status begins a second round only when it is believed', () => {
  const facts = known({ record: record({ documentsRound: 1, documentsAsked: asked(1) }), accept: 'done' });
  expect(nextStep(order('WAITING_FOR_DOCUMENTS'), facts)).toEqual({ todo: 'wait', isAnswered: true, documentsLeft: 1 });
  expect(nextStep(order('WAITING_FOR_DOCUMENTS'), { ...facts, isBelieved: true })).toEqual({
    todo: 'act',
    documentsRound: 2,
    documentsAsked: asked(2),
  });
});

test('a signing round begins, is resumed, waits on stale reads, and is followed by another one for other files or when believed', () => {
  const read = order('WAITING_FOR_SIGNATURE', files('a', 'b'));
  const round = (number: number, times: number, ...fileIds: string[]) => ({
    todo: 'act',
    signaturesRound: { number, fileIds, asked: asked(times) },
  });
  const again = round(2, 2, 'a', 'b');
  const earlier = { number: 1, fileIds: ['b', 'a'], asked: asked(1) };
  expect(nextStep(read, known())).toEqual(round(1, 1, 'a', 'b'));
  const waiting = record({ status: 'WAITING_FOR_SIGNATURE', signaturesRound: earlier });
  expect(nextStep(read, known({ record: waiting }))).toEqual(round(1, 1, 'a', 'b'));
  expect(nextStep(read, known({ record: waiting, accept: 'done' }))).toEqual({
    todo: 'wait',
    isAnswered: true,
  });
  expect(nextStep(read, known({ record: waiting, accept: 'done', isBelieved: true }))).toEqual(again);
  const otherFiles = order('WAITING_FOR_SIGNATURE', files('c'));
  expect(nextStep(otherFiles, known({ record: waiting, accept: 'done' }))).toEqual(round(2, 1, 'c'));
  const movedOn = record({ status: 'IN_WORK', signaturesRound: earlier });
  expect(nextStep(read, known({ record: movedOn, accept: 'done' }))).toEqual({
    todo: 'wait',
    isAnswered: true,
    signaturesLeft: 1,
  });
  expect(nextStep(read, known({ record: movedOn, accept: 'done', isBelieved: true }))).toEqual(again);
});

describe('a round that the order has left, whatever is known about its accept,', () => {
  const signaturesRound = { number: 1, fileIds: ['a'], asked: asked(1) };
  const rounds = { documentsRound: 1, signaturesRound };
  const cases = (['none', 'unlikely', 'open', 'done'] as const).flatMap((accept) => [
    { accept, read: order('WAITING_FOR_DOCUMENTS'), left: { documentsLeft: 1 } },
    { accept, read: order('WAITING_FOR_SIGNATURE', files('a')), left: { signaturesLeft: 1 } },
  ]);

  test.each(cases)('is marked as left by a read that says $read.status again (accept: $accept)', (one) => {
    const { accept, read, left } = one;
    const entered = known({ record: record(rounds), accept });
    expect(nextStep(read, entered)).toEqual({ todo: 'wait', isAnswered: true, ...left });
  });

  test.each(cases)(
    'is followed by a new round when $read.status is believed (accept: $accept)',
    ({ accept, read, left }) => {
      const waiting = known({ record: record({ ...rounds, ...left, status: read.status }), accept });
      expect(nextStep(read, waiting)).toEqual({ todo: 'wait', isAnswered: true });
      const {
        documentsRound,
        signaturesRound: signatures,
        isNotAccepted,
      } = nextStep(read, { ...waiting, isBelieved: true });
      expect({ round: documentsRound ?? signatures?.number, isNotAccepted }).toEqual({ round: 2 });
    },
  );

  test('is followed by a new round at once for other files to sign', () => {
    const step = nextStep(order('WAITING_FOR_SIGNATURE', files('b')), known({ record: record(rounds) }));
    expect(step.signaturesRound).toEqual({ number: 2, fileIds: ['b'], asked: asked(1) });
  });
});

describe('after an accept whose outcome is unknown', () => {
  const signaturesRound = { number: 1, fileIds: ['a'], asked: asked(1) };
  const facts = (status: string, isBelieved = false) =>
    known({ record: record({ status, documentsRound: 1, signaturesRound }), accept: 'open', isBelieved });

  test.each([order('WAITING_FOR_DOCUMENTS'), order('WAITING_FOR_SIGNATURE', files('a'))])(
    'a read that says $status waits, and when it is believed the accept was not done',
    (read) => {
      expect(nextStep(read, facts(read.status))).toEqual({ todo: 'wait', isAnswered: true });
      expect(nextStep(read, facts(read.status, true))).toMatchObject({ todo: 'act', isNotAccepted: true });
    },
  );

  test('other files to sign begin a new round at once', () => {
    const waiting = facts('WAITING_FOR_SIGNATURE');
    expect(nextStep(order('WAITING_FOR_SIGNATURE', files('b')), waiting)).toEqual({
      todo: 'act',
      signaturesRound: { number: 2, fileIds: ['b'], asked: asked(1) },
    });
  });
});

test('a resumed signing round keeps its count of requests for the same files, and other files reset it', () => {
  const round = { number: 5, fileIds: ['a'], asked: asked(2) };
  const waiting = record({ status: 'WAITING_FOR_SIGNATURE', signaturesRound: round });
  const step = (...fileIds: string[]) =>
    nextStep(order('WAITING_FOR_SIGNATURE', files(...fileIds)), known({ record: waiting }));
  expect(step('a').signaturesRound).toEqual(round);
  expect(step('c').signaturesRound).toEqual({ number: 5, fileIds: ['c'] });
});

test('the same files to sign fail the order after three requests, until a person retries', () => {
  const round = { number: 5, fileIds: ['a'], asked: asked(3) };
  const facts = known({ record: record({ signaturesRound: round }), accept: 'done', isBelieved: true });
  const step = (fileId: string, given = facts) =>
    nextStep(order('WAITING_FOR_SIGNATURE', files(fileId)), given).signaturesRound;
  expect(() => step('a')).toThrow('Order ref-1 was asked 3 times for the same signatures');
  expect(step('b')).toEqual({ number: 6, fileIds: ['b'], asked: asked(1) });
  const retried = { ...facts, record: record({ signaturesRound: round, generation: 2, retriedIn: 2 }) };
  expect(step('a', retried)).toEqual({ number: 6, fileIds: ['a'], asked: asked(1, 2) });
});

test('OFFERS_AVAILABLE after a confirm that was done waits, and fails the order when it is believed', () => {
  const offers = { offers: [{ offerId: 'o', status: 'AVAILABLE' }] } as Partial<Order>;
  const facts = known({ decided: true, confirmed: true });
  expect(nextStep(order('OFFERS_AVAILABLE', offers), facts)).toEqual({ todo: 'wait', isAnswered: true });
  expect(() => nextStep(order('OFFERS_AVAILABLE', offers), { ...facts, isBelieved: true })).toThrow(
    'is still OFFERS_AVAILABLE',
  );
  expect(nextStep(order('OFFERS_APPROVED', offers), { ...facts, isBelieved: true })).toEqual({ todo: 'wait' });
});

test('at OFFERS_AVAILABLE an offer is chosen if one is AVAILABLE, confirmed if chosen, and waited for otherwise', () => {
  const offers = { offers: [{ offerId: 'o', status: 'AVAILABLE' }] } as Partial<Order>;
  const refused = { offers: [{ offerId: 'o', status: 'REFUSED' }] } as Partial<Order>;
  expect(nextStep(order('OFFERS_AVAILABLE', offers), known())).toEqual({ todo: 'act' });
  expect(nextStep(order('OFFERS_AVAILABLE', offers), known({ decided: true, openChoices: 1 }))).toEqual({
    todo: 'confirm',
  });
  expect(nextStep(order('OFFERS_AVAILABLE', offers), known({ decided: true }))).toEqual({ todo: 'wait' });
  expect(nextStep(order('OFFERS_AVAILABLE', refused), known())).toEqual({ todo: 'wait' });
});

test('an open choice at OFFERS_APPROVED is confirmed', () => {
  expect(nextStep(order('OFFERS_APPROVED'), known({ openChoices: 1 }))).toEqual({ todo: 'confirm' });
  expect(nextStep(order('OFFERS_APPROVED'), known())).toEqual({ todo: 'wait' });
});

test('a status outside the specification is passed to the state Order status, which fails the order', () => {
  expect(nextStep(order('ARCHIVED'), known())).toEqual({ todo: 'act' });
});

test('the same documents fail the order after three requests, until a person retries', () => {
  const sent = { documentsRound: 3, documentsAsked: asked(3) };
  const step = (more: Partial<KnownFacts['record']>) =>
    nextStep(
      order('WAITING_FOR_DOCUMENTS'),
      known({ record: record({ ...sent, ...more }), accept: 'done', isBelieved: true }),
    );
  expect(() => step({})).toThrow('Order ref-1 was asked 3 times for its documents');
  // The order was handed over, but no person has retried it.
  expect(() => step({ generation: 2 })).toThrow('Order ref-1 was asked 3 times for its documents');
  expect(step({ generation: 2, retriedIn: 2 })).toEqual({
    todo: 'act',
    documentsRound: 4,
    documentsAsked: asked(1, 2),
  });
});

test('more documents to sign than fit into one execution are refused', () => {
  const fileIds = Array.from({ length: MAX_DOCUMENTS_TO_SIGN + 1 }, (_, index) => `file-${index}`);
  expect(nextStep(order('WAITING_FOR_SIGNATURE', files(...fileIds.slice(1))), known()).todo).toBe('act');
  expect(() => nextStep(order('WAITING_FOR_SIGNATURE', files(...fileIds)), known())).toThrow(
    'Order ref-1 lists 101 documents to sign. At most 100 can be signed in one round.',
  );
});

test.each([
  [['a', 'b'], false],
  [['b', 'a'], false],
  [['a'], true],
  [['a', 'c'], true],
])('a request to sign %j differs from a round for a and b: %j', (fileIds, others) => {
  expect(asksForOthers(fileIds, { number: 1, fileIds: ['a', 'b'] })).toBe(others);
});
