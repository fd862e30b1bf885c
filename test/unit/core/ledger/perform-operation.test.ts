import { expect, test, vi } from 'vitest';
import {
  DocumentChanged,
  OutcomeUnknown,
  Rejected,
  ServiceUnavailable,
  Throttled,
  Unauthorized,
  UnexpectedResponse,
} from '../../../../core/errors.ts';
import { knowledgeIn, readEntry, storedKnowledge } from '../../../../core/ledger/entry.ts';
import {
  callFailureOf,
  type IfUnknown,
  type Knowledge,
  learn,
  mayBeDone,
  NONE,
  OPEN,
  UNLIKELY,
  type Undone,
} from '../../../../core/ledger/knowledge.ts';
import {
  FinalRefusal,
  type Operation,
  performOperation,
  type Subject,
} from '../../../../core/ledger/perform-operation.ts';
import type { CallFailure } from '../../../../core/service/what-answers-prove.ts';
import { openLedger } from './open-ledger.ts';

/** What is known after: `refused`, `turned away`, `lost`. Each is shown as an undeclared answer, and as one that the stage declares. */
const table: [IfUnknown, before: Undone, undeclared: string, declared: string][] = [
  ['look', NONE, 'open open open', 'none none open'],
  ['look', OPEN, 'open open open', 'open open open'],
  ['never', NONE, 'open open open', 'none unlikely open'],
  ['never', UNLIKELY, 'open open open', 'open unlikely open'],
  ['never', OPEN, 'open open open', 'open open open'],
  ['again', NONE, 'none open open', 'none open open'],
  ['again', OPEN, 'open open open', 'open open open'],
];

test.each(table)('a call of the kind "%s" about which is known %j', (ifUnknown, before, undeclared, declared) => {
  const after = (isDeclared: boolean) =>
    (['refused', 'turned away', 'lost'] as const).map((failure) => learn(before, failure, ifUnknown, isDeclared).state);
  expect([after(false).join(' '), after(true).join(' ')]).toEqual([undeclared, declared]);
  for (const isDeclared of [false, true]) expect(learn(before, 'not sent', ifUnknown, isDeclared)).toBe(before);
});

test('an operation may be done without our knowledge if it is unlikely or open', () => {
  expect([NONE, UNLIKELY, OPEN].map(mayBeDone)).toEqual([false, true, true]);
});

test.each<[string, unknown, CallFailure]>([
  ['a 4xx', new Rejected('No.', { call: { httpStatus: 409 } }), 'refused'],
  ['429', new Throttled('Later.', { call: { httpStatus: 429 } }), 'turned away'],
  ['403', new Rejected('No.', { call: { httpStatus: 403 } }), 'not sent'],
  ['no connection', new ServiceUnavailable('No connection.'), 'not sent'],
  ['a call during a pause', new Throttled('Not before noon.'), 'not sent'],
  ['401', new Unauthorized('Who?', { call: { httpStatus: 401 } }), 'not sent'],
  ['an answer that was lost', new OutcomeUnknown('It broke off.'), 'lost'],
  ['an unusable answer', new UnexpectedResponse('A page.', { call: { httpStatus: 200 } }), 'lost'],
  ['an error of our own', new TypeError('Oops.'), 'lost'],
])('%s is the failure "%s"', (_name, error, failure) => {
  expect(callFailureOf(error)).toBe(failure);
});

const since = '2026-01-01T12:00:00.000Z';
const done: Knowledge = { state: 'done', outcome: { orderId: 'one' } };

test.each<Knowledge>([NONE, UNLIKELY, OPEN, done])('the knowledge %j is read as it was stored', (knowledge) => {
  expect(knowledgeIn(storedKnowledge(knowledge))).toEqual(knowledge);
});

const entry = { item: 'operation#create', attempts: 1, attemptId: 'one', intendedAt: since, call: { httpStatus: 429 } };

test('the other properties of an entry are read as they are stored', () => {
  const read = readEntry({ ...entry, ...storedKnowledge(OPEN), resolvedAt: since });
  expect(read).toEqual({ ...entry, knowledge: OPEN, resolvedAt: since });
});

test.each<[string, Partial<typeof entry> & { generation?: number }, Undone]>([
  ['a creation of this release', { generation: 1, call: { httpStatus: 503 } }, UNLIKELY],
  ['a creation of the release before, after its first 429', {}, UNLIKELY],
  ['a creation of the release before, after 503', { call: { httpStatus: 503 } }, OPEN],
  ['a creation of the release before, after 503 and 429', { attempts: 2 }, OPEN],
  ['an accept of the release before, after 429', { item: 'operation#accept-documents#1' }, OPEN],
])('what is recorded as unlikely of %s', (_what, recorded, knowledge) => {
  expect(readEntry({ ...entry, ...storedKnowledge(UNLIKELY), ...recorded }).knowledge).toEqual(knowledge);
});

const tooMany = (message = 'Too many.') => new Throttled(message, { call: { httpStatus: 429 } });
const refused = () => new Rejected('No.', { call: { httpStatus: 409 } });
const invalid = () => new Rejected('No.', { call: { httpStatus: 400 } });
const doneBy = (by: string) => ({ knowledge: { state: 'done', outcome: { by } } });

async function beginFirst(orderRef: string) {
  const { subject, entryOf } = await openLedger(orderRef);
  const operation = { subject, name: 'upload', unknown: 'again' as const };
  const [called, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const call = async () => {
    called.resolve();
    await released.promise;
    return { by: 'first' };
  };
  const first = performOperation({ ...operation, call });
  await called.promise;
  const finishFirst = async () => {
    released.resolve();
    await first;
  };
  return { operation, finishFirst, entry: () => entryOf('upload') };
}

test('an operation that a late run has done while another run prepares is not done again', async () => {
  const { operation, finishFirst, entry } = await beginFirst('asked');
  const call = vi.fn(async () => ({ by: 'second' }));
  expect(await performOperation({ ...operation, prepare: finishFirst, call })).toEqual({ by: 'first' });
  expect(call).not.toHaveBeenCalled();
  expect(await entry()).toMatchObject(doneBy('first'));
});

test('an operation that a late run has done stays done when the next run fails', async () => {
  const { operation, finishFirst, entry } = await beginFirst('failed');
  const call = async () => {
    await finishFirst();
    throw new ServiceUnavailable('Not now.');
  };
  await expect(performOperation({ ...operation, call })).rejects.toThrow('Not now.');
  expect(await entry()).toMatchObject(doneBy('first'));
});

test('of two runs that begin the same attempt at once, one sends', async () => {
  const { subject, entryOf } = await openLedger('at-once');
  const call = vi.fn(async () => ({ by: 'second' }));
  const operation = { subject, name: 'upload', unknown: 'again' as const, call };
  call.mockRejectedValueOnce(tooMany());
  await expect(performOperation(operation)).rejects.toThrow('Too many.');
  const prepare = async () => {
    await expect(performOperation({ ...operation, call: () => Promise.reject(tooMany()) })).rejects.toThrow(
      'Too many.',
    );
  };
  await expect(performOperation({ ...operation, prepare })).rejects.toThrow(/began .* at the same time/);
  expect(call).toHaveBeenCalledTimes(1);
  expect(await entryOf('upload')).toMatchObject({ attempts: 2, knowledge: { state: 'open' } });
});

async function openConfirm(more: Partial<Subject> = {}) {
  const waitAfterOutage = vi.fn(() => Promise.reject(new Throttled('Not now.')));
  const { subject, entryOf, settle } = await openLedger('order-1', { waitAfterOutage, settlingSeconds: 600, ...more });
  const sent: string[] = [];
  const attempt = (code: string, fail?: Error, driven: Partial<Subject> = {}) =>
    performOperation({
      subject: { ...subject, generation: 1, ...driven },
      name: 'confirm#offer-1',
      intent: { code },
      unknown: 'look',
      call: async () => {
        sent.push(code);
        if (fail) throw fail;
        return { code };
      },
    });
  const [name, retried] = ['confirm#offer-1', { generation: 2, retriedIn: 2 }];
  return { sent, attempt, retried, settle: () => settle(name), entry: () => entryOf(name), waitAfterOutage };
}

const lost = () => new OutcomeUnknown('The answer was lost.');

test.each([
  ['refused', refused()],
  ['turned away', tooMany()],
  ['lost', lost()],
  ['answered by a page', new UnexpectedResponse('A page.', { call: { httpStatus: 200 } })],
])('a confirm that was %s is not sent again, whatever is decided, until reads settle it', async (_what, failure) => {
  const { attempt, sent, entry } = await openConfirm();
  await expect(attempt('A', failure)).rejects.toThrow(OutcomeUnknown);
  await expect(attempt('A')).rejects.toThrow(/outcome of an earlier attempt of confirm is unknown/);
  await expect(attempt('B', undefined, { generation: 2, retriedIn: 2 })).rejects.toThrow(OutcomeUnknown);
  expect(sent).toEqual(['A']);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open' }, intent: { code: 'A' } });
});

test('a refusal is told with the time when it is final, and fails the step once reads show that nothing was done', async () => {
  const { attempt, sent, settle, entry } = await openConfirm();
  await expect(attempt('A', refused())).rejects.toThrow(OutcomeUnknown);
  const { finalAbout = '', failure } = (await entry()) ?? expect.fail();
  expect([failure, Date.parse(finalAbout) > Date.now() + 500_000]).toEqual(['Rejected', true]);
  await settle();
  // The sweep, a handover and another release begin a generation, too.
  for (const generation of [1, 2]) await expect(attempt('A', undefined, { generation })).rejects.toThrow(FinalRefusal);
  expect(sent).toEqual(['A']);
});

test('only a retry that a person begins after the step has failed sends a refused call again', async () => {
  const { attempt, sent, settle, retried } = await openConfirm();
  await expect(attempt('A', refused())).rejects.toThrow(OutcomeUnknown);
  await settle();
  await expect(attempt('A', undefined, retried)).rejects.toThrow(FinalRefusal);
  expect(sent).toEqual(['A']);
  expect(await attempt('A', undefined, { generation: 3, retriedIn: 3 })).toEqual({ code: 'A' });
});

test('a changed decision sends a refused confirm again', async () => {
  const { attempt, settle } = await openConfirm();
  await expect(attempt('A', refused())).rejects.toThrow(OutcomeUnknown);
  await settle();
  expect(await attempt('B')).toEqual({ code: 'B' });
});

test.each([
  ['refusal that the stage declares', 409, { provesNotDone: () => true }],
  ['403, which comes before the work,', 403, {}],
])('a %s is final at once, and a retry sends the call again', async (_what, httpStatus, more) => {
  const { attempt, entry, retried } = await openConfirm(more);
  await expect(attempt('A', new Rejected('No.', { call: { httpStatus } }))).rejects.toThrow('No.');
  expect(await entry()).toMatchObject({ knowledge: { state: 'none' }, refusedIn: 1 });
  expect(await attempt('A', undefined, retried)).toEqual({ code: 'A' });
});

test('after an outage the next attempt waits, unless a person asks for it', async () => {
  const { attempt, sent, settle, retried, waitAfterOutage } = await openConfirm();
  await expect(attempt('A', lost())).rejects.toThrow(OutcomeUnknown);
  await settle();
  await expect(attempt('A')).rejects.toThrow('Not now.');
  expect([sent, waitAfterOutage.mock.calls.length]).toEqual([['A'], 1]);
  expect(await attempt('A', undefined, retried)).toEqual({ code: 'A' });
});

test('an attempt that was not sent leaves what is known, and what was sent before', async () => {
  const { attempt, entry } = await openConfirm();
  await expect(attempt('A', new ServiceUnavailable('No token.'))).rejects.toThrow('No token.');
  expect(await entry()).toMatchObject({ knowledge: { state: 'none' } });
  await expect(attempt('B', lost())).rejects.toThrow(OutcomeUnknown);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open' }, intent: { code: 'B' } });
});

const REMEMBERED = { header: 'k', rememberedHours: 1 };

async function openCreation(idempotency?: Subject['idempotency']) {
  const provesNotDone = (_call: string, status: number) => [400, 429].includes(status);
  const { subject } = await openLedger('order-1', { idempotency, provesNotDone });
  const sent: unknown[] = [];
  const create = (fail?: Error, more: Partial<Subject> = {}) =>
    performOperation({
      subject: { ...subject, ...more },
      name: 'create',
      unknown: 'never',
      call: async (context) => {
        sent.push(context.idempotency?.key);
        if (fail) throw fail;
        return { orderId: 'one' };
      },
    });
  return { create, sent };
}

test('a creation is sent again only after an answer that the stage declares', async () => {
  const { create } = await openCreation();
  await expect(create(tooMany())).rejects.toThrow(Throttled);
  await expect(create(refused())).rejects.toThrow(/409 to create. It may have been done all the same/);
  await expect(create()).rejects.toThrow(/never repeated: ask/);
});

test('with a key that the service remembers, a creation of unknown outcome is an outage, but for its verdict', async () => {
  const { create, sent } = await openCreation(REMEMBERED);
  const page = new UnexpectedResponse('A page.', { call: { httpStatus: 200 } });
  for (const failure of [lost(), refused(), page]) await expect(create(failure)).rejects.toThrow(ServiceUnavailable);
  await expect(create(tooMany())).rejects.toThrow(Throttled);
  await expect(create(invalid())).rejects.toThrow(OutcomeUnknown);
  await expect(create(new UnexpectedResponse('The orderId of another.'))).rejects.toThrow(UnexpectedResponse);
  expect(await create()).toEqual({ orderId: 'one' });
  expect([sent.length, new Set(sent).size]).toEqual([7, 1]);
});

test('after a certain refusal a creation has another key', async () => {
  const { create, sent } = await openCreation(REMEMBERED);
  const unsent = new ServiceUnavailable('No connection.');
  for (const failure of [unsent, tooMany(), unsent]) await expect(create(failure)).rejects.toThrow(failure.message);
  expect(new Set(sent).size).toBe(1);
  const { create: refuse, sent: both } = await openCreation(REMEMBERED);
  await expect(refuse(invalid())).rejects.toThrow(Rejected);
  await refuse();
  expect(new Set(both).size).toBe(2);
});

test.each<[string, Subject['idempotency'], Subject['idempotency']]>([
  ['was not sent', undefined, REMEMBERED],
  ['was sent in another header', { ...REMEMBERED, header: 'j' }, REMEMBERED],
  ['is remembered no longer', { header: 'k', rememberedHours: -1 }, REMEMBERED],
  ['was not said to be remembered', { header: 'k' }, REMEMBERED],
  ['is not remembered after all', REMEMBERED, { header: 'k' }],
])('a creation of unknown outcome whose key %s is never sent again', async (_what, first, idempotency) => {
  const { create, sent } = await openCreation(first);
  await expect(create(lost())).rejects.toThrow();
  await expect(create(undefined, { idempotency })).rejects.toThrow(/never repeated/);
  expect(sent).toHaveLength(1);
});

async function openOperation() {
  const addToTimeline = vi.fn(async () => undefined);
  const { subject, entryOf } = await openLedger('prepared', { addToTimeline });
  const perform = (steps: Pick<Operation<{ sent: number }>, 'prepare' | 'call'>) =>
    performOperation({ subject, name: 'upload', unknown: 'again', ...steps });
  const [prepare, call] = [vi.fn(async () => undefined), vi.fn(async () => ({ sent: 1 }))];
  return { perform, entry: () => entryOf('upload'), addToTimeline, prepare, call };
}

test('an operation that could not be prepared is recorded as not done, because nothing was sent', async () => {
  const { perform, entry, prepare, call } = await openOperation();
  const failure = new Rejected('No.', { call: { httpStatus: 403, excerpt: 'Personal.' } });
  await expect(perform({ prepare: () => Promise.reject(failure), call })).rejects.toBe(failure);
  expect(call).not.toHaveBeenCalled();
  const { knowledge, call: facts, ...recorded } = (await entry()) ?? expect.fail();
  expect([knowledge.state, recorded.failure]).toEqual(['none', 'Rejected']);
  expect(facts).toMatchObject({ operation: 'upload', attempt: 1, httpStatus: 403 });
  expect(facts).not.toHaveProperty('excerpt');
  expect(await perform({ prepare, call })).toEqual({ sent: 1 });
});

test('the ID of a request is recorded before the call, and the ID of the one that was answered after it', async () => {
  const { perform, entry } = await openOperation();
  const recorded: unknown[] = [];
  await perform({
    call: async (context) => {
      recorded.push((await entry())?.call.requestId, context.requestId);
      context.requestId = 'sent again';
      return { sent: 1 };
    },
  });
  expect(recorded[0]).toBe(recorded[1]);
  expect((await entry())?.call.requestId).toBe('sent again');
});

test('an attempt that could not be prepared leaves the outcome of the attempt before it unknown', async () => {
  const { perform, entry, addToTimeline, call } = await openOperation();
  const lost = new OutcomeUnknown('The answer was lost.');
  await expect(perform({ call: () => Promise.reject(lost) })).rejects.toThrow(lost.message);
  const before = await entry();
  const changed = new DocumentChanged('Another document.');
  await expect(perform({ prepare: () => Promise.reject(changed), call })).rejects.toBe(changed);
  expect(await entry()).toEqual(before);
  expect(addToTimeline).not.toHaveBeenCalled();
});
