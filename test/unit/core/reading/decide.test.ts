import { describe, expect, test } from 'vitest';
import { MAX_DOCUMENTS_TO_SIGN } from '../../../../core/order/work-size.ts';
import type { Order } from '../../../../core/order-service/order-service-client.ts';
import { asksForOthers, type KnownFacts, nextStep } from '../../../../core/reading/next-step.ts';

const record = (more: Partial<KnownFacts['record']> = {}) => ({
  orderRef: 'ref-1',
  generation: 1,
  status: 'IN_WORK',
  ...more,
});
const nothing = { openChoices: 0, isUnsettled: false, isDecided: false, isConfirmed: false, isBelieved: false };
const known = (facts: Partial<KnownFacts> = {}): KnownFacts => ({
  record: record(),
  accept: 'none',
  ...nothing,
  ...facts,
});

const order = (status: string, more: Partial<Order> = {}) => ({ status, ...more }) as Order;
const toSign = (...fileIds: string[]) =>
  order('WAITING_FOR_SIGNATURE', { documents: fileIds.map((fileId) => ({ fileId })) } as Partial<Order>);
const DOCUMENTS = order('WAITING_FOR_DOCUMENTS');
const asked = (times: number, generation = 1) => ({ times, generation });
const documents = (number: number, times: number, generation = 1) => ({
  todo: 'act',
  documentsRound: number,
  documentsAsked: asked(times, generation),
});
const signatures = (number: number, times: number, ...fileIds: string[]) => ({
  todo: 'act',
  signaturesRound: { number, fileIds, asked: asked(times) },
});
const ANSWERED = { todo: 'wait', isAnswered: true };

test.each([
  ['CLOSED', 'act'],
  ['VALIDATION_FAILED', 'act'],
  ['IN_WORK', 'wait'],
  // The state Order status fails the order.
  ['ARCHIVED', 'act'],
])('the next step of an order that is %s is to %s', (status, todo) => {
  expect(nextStep(order(status), known())).toEqual({ todo });
});

test('the first WAITING_FOR_DOCUMENTS begins round 1 of documents, which is resumed if it was interrupted', () => {
  expect(nextStep(DOCUMENTS, known())).toEqual(documents(1, 1));
  const facts = known({ record: record({ status: 'WAITING_FOR_DOCUMENTS', documentsRound: 1 }) });
  expect(nextStep(DOCUMENTS, facts)).toEqual({ todo: 'act', documentsRound: 1 });
});

test('WAITING_FOR_DOCUMENTS after the accept, or after another status, begins a second round only when it is believed', () => {
  const waiting = record({ status: 'WAITING_FOR_DOCUMENTS', documentsRound: 1 });
  const facts = known({ record: waiting, accept: 'done' });
  expect(nextStep(DOCUMENTS, facts)).toEqual(ANSWERED);
  expect(nextStep(DOCUMENTS, { ...facts, isBelieved: true })).toEqual(documents(2, 1));
  const left = known({ record: record({ documentsRound: 1, documentsAsked: asked(1) }), accept: 'done' });
  expect(nextStep(DOCUMENTS, left)).toEqual({ ...ANSWERED, documentsLeft: 1 });
  expect(nextStep(DOCUMENTS, { ...left, isBelieved: true })).toEqual(documents(2, 2));
});

test('a signing round begins, is resumed, waits on stale reads, and is followed by another one for other files or when believed', () => {
  const read = toSign('a', 'b');
  const earlier = { number: 1, fileIds: ['b', 'a'], asked: asked(1) };
  expect(nextStep(read, known())).toEqual(signatures(1, 1, 'a', 'b'));
  const waiting = { record: record({ status: 'WAITING_FOR_SIGNATURE', signaturesRound: earlier }) };
  expect(nextStep(read, known(waiting))).toEqual(signatures(1, 1, 'a', 'b'));
  const accepted = known({ ...waiting, accept: 'done' });
  expect(nextStep(read, accepted)).toEqual(ANSWERED);
  expect(nextStep(read, { ...accepted, isBelieved: true })).toEqual(signatures(2, 2, 'a', 'b'));
  expect(nextStep(toSign('c'), accepted)).toEqual(signatures(2, 1, 'c'));
  const movedOn = known({ record: record({ signaturesRound: earlier }), accept: 'done' });
  expect(nextStep(read, movedOn)).toEqual({ ...ANSWERED, signaturesLeft: 1 });
  expect(nextStep(read, { ...movedOn, isBelieved: true })).toEqual(signatures(2, 2, 'a', 'b'));
});

const rounds = { documentsRound: 1, signaturesRound: { number: 1, fileIds: ['a'], asked: asked(1) } };

describe('a round that the order has left, whatever is known about its accept,', () => {
  const cases = (['none', 'unlikely', 'open', 'done'] as const).flatMap((accept) => [
    { accept, read: DOCUMENTS, left: { documentsLeft: 1 } },
    { accept, read: toSign('a'), left: { signaturesLeft: 1 } },
  ]);

  test.each(cases)('is followed by a new round when $read.status is believed (accept: $accept)', (one) => {
    const { accept, read, left } = one;
    expect(nextStep(read, known({ record: record(rounds), accept }))).toEqual({ ...ANSWERED, ...left });
    const waiting = known({ record: record({ ...rounds, ...left, status: read.status }), accept });
    expect(nextStep(read, waiting)).toEqual(ANSWERED);
    const { documentsRound, signaturesRound, isNotAccepted } = nextStep(read, { ...waiting, isBelieved: true });
    expect({ round: documentsRound ?? signaturesRound?.number, isNotAccepted }).toEqual({ round: 2 });
  });

  test('is followed by a new round at once for other files to sign', () => {
    expect(nextStep(toSign('b'), known({ record: record(rounds) }))).toEqual(signatures(2, 1, 'b'));
  });
});

test('after an accept with an unknown outcome a read waits; when it is believed the accept was not done', () => {
  const facts = (status: string) => known({ record: record({ ...rounds, status }), accept: 'open' });
  for (const read of [DOCUMENTS, toSign('a')]) {
    expect(nextStep(read, facts(read.status))).toEqual(ANSWERED);
    const believed = nextStep(read, { ...facts(read.status), isBelieved: true });
    expect(believed).toMatchObject({ todo: 'act', isNotAccepted: true });
  }
  // Other files to sign begin a new round at once.
  expect(nextStep(toSign('b'), facts('WAITING_FOR_SIGNATURE'))).toEqual(signatures(2, 1, 'b'));
});

test('a resumed signing round keeps its count of requests for the same files, and other files reset it', () => {
  const round = { number: 5, fileIds: ['a'], asked: asked(2) };
  const facts = known({ record: record({ status: 'WAITING_FOR_SIGNATURE', signaturesRound: round }) });
  expect(nextStep(toSign('a'), facts).signaturesRound).toEqual(round);
  expect(nextStep(toSign('c'), facts).signaturesRound).toEqual({ number: 5, fileIds: ['c'] });
});

const accepted = (more: Partial<KnownFacts['record']>) =>
  known({ record: record(more), accept: 'done', isBelieved: true });

test('the same files to sign fail the order after three requests, until a person retries', () => {
  const signaturesRound = { number: 5, fileIds: ['a'], asked: asked(3) };
  const facts = accepted({ signaturesRound });
  expect(() => nextStep(toSign('a'), facts)).toThrow('Order ref-1 was asked 3 times for the same signatures');
  expect(nextStep(toSign('b'), facts)).toEqual(signatures(6, 1, 'b'));
  const retried = nextStep(toSign('a'), accepted({ signaturesRound, generation: 2, retriedIn: 2 }));
  expect(retried.signaturesRound).toEqual({ number: 6, fileIds: ['a'], asked: asked(1, 2) });
});

test('the same documents fail the order after three requests, until a person retries', () => {
  const sent = { documentsRound: 3, documentsAsked: asked(3) };
  // The order may be handed over, but no person has retried it.
  for (const generation of [1, 2])
    expect(() => nextStep(DOCUMENTS, accepted({ ...sent, generation }))).toThrow(
      'Order ref-1 was asked 3 times for its documents',
    );
  expect(nextStep(DOCUMENTS, accepted({ ...sent, generation: 2, retriedIn: 2 }))).toEqual(documents(4, 1, 2));
});

const offers = (status: string, state = 'AVAILABLE') =>
  order(status, { offers: [{ offerId: 'o', status: state }] } as Partial<Order>);

test('OFFERS_AVAILABLE after a confirm that was done waits, and fails the order when it is believed', () => {
  const facts = known({ isDecided: true, isConfirmed: true });
  const believed = { ...facts, isBelieved: true };
  expect(nextStep(offers('OFFERS_AVAILABLE'), facts)).toEqual(ANSWERED);
  expect(() => nextStep(offers('OFFERS_AVAILABLE'), believed)).toThrow('is still OFFERS_AVAILABLE');
  expect(nextStep(offers('OFFERS_APPROVED'), believed)).toEqual({ todo: 'wait' });
});

test.each<[string, Order, Partial<KnownFacts>, string]>([
  ['an AVAILABLE offer is chosen', offers('OFFERS_AVAILABLE'), {}, 'act'],
  ['a chosen offer is confirmed', offers('OFFERS_AVAILABLE'), { isDecided: true, openChoices: 1 }, 'confirm'],
  ['a decision is waited for', offers('OFFERS_AVAILABLE'), { isDecided: true }, 'wait'],
  ['offers are waited for if none is AVAILABLE', offers('OFFERS_AVAILABLE', 'REFUSED'), {}, 'wait'],
  ['an open choice at OFFERS_APPROVED is confirmed', order('OFFERS_APPROVED'), { openChoices: 1 }, 'confirm'],
  ['OFFERS_APPROVED waits otherwise', order('OFFERS_APPROVED'), {}, 'wait'],
])('%s', (_what, read, facts, todo) => {
  expect(nextStep(read, known(facts))).toEqual({ todo });
});

test('more documents to sign than fit into one execution are refused', () => {
  const fileIds = Array.from({ length: MAX_DOCUMENTS_TO_SIGN + 1 }, (_, index) => `file-${index}`);
  expect(nextStep(toSign(...fileIds.slice(1)), known()).todo).toBe('act');
  expect(() => nextStep(toSign(...fileIds), known())).toThrow(
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
