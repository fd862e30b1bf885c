import { expect, test, vi } from 'vitest';
import {
  type CallContext,
  DocumentChanged,
  OutcomeUnknown,
  Rejected,
  ServiceUnavailable,
  Throttled,
  UnexpectedResponse,
} from '../../../../core/errors.ts';
import { type Operation, performOperation } from '../../../../core/ledger/perform-operation.ts';
import { onceMore, openLedger } from './open-ledger.ts';

const tooMany = (message = 'Too many.') => new Throttled(message, { call: { httpStatus: 429 } });
const refused = () => new Rejected('No.', { call: { httpStatus: 409 } });
const doneBy = (by: string) => ({ knowledge: { state: 'done', outcome: { by } } });

/** An operation whose first run hangs in its call until it is released. */
async function beginFirst(orderRef: string) {
  const { subject, entryOf } = await openLedger(orderRef);
  const operation = { subject, name: 'confirm', unknown: async () => undefined };
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
  return { operation, finishFirst, entry: () => entryOf('confirm') };
}

test('an operation that was done stays done after stale looks', async () => {
  const { subject, entryOf } = await openLedger('throttled', { withPatience: onceMore });
  const made = { calls: 0, looks: 0 };
  const answers: Error[] = [tooMany()];
  const attempt = () =>
    performOperation({
      subject,
      name: 'confirm',
      unknown: async () => (++made.looks > 3 ? { by: 'looking' } : undefined),
      call: async () => {
        made.calls += 1;
        throw answers.shift() ?? refused();
      },
    });
  for (let attempts = 0; attempts < 4; attempts += 1) await expect(attempt()).rejects.toThrow(OutcomeUnknown);
  expect(await attempt()).toEqual({ by: 'looking' });
  expect(made).toEqual({ calls: 5, looks: 4 });
  expect(await entryOf('confirm')).toMatchObject(doneBy('looking'));
});

test('an operation that a late run has done while another run looks it up is not done again', async () => {
  const { operation, finishFirst, entry } = await beginFirst('asked');
  const call = vi.fn(async () => ({ by: 'second' }));
  const unknown = () => finishFirst().then(() => undefined);
  expect(await performOperation({ ...operation, unknown, call })).toEqual({ by: 'first' });
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
  expect(await entryOf('upload')).toMatchObject({ attempts: 2, knowledge: { state: 'unlikely' } });
});

/** A confirm whose code may differ in each attempt, and whose first attempt was answered 429. */
async function beginConfirm() {
  const { subject, entryOf } = await openLedger('order-1');
  const made = { sent: [] as string[], contexts: [] as CallContext[], looks: 0 };
  const found: { code?: string } = {};
  const attempt = (code: string, ...fail: Error[]) =>
    performOperation({
      subject: { ...subject, withPatience: fail.length > 1 ? onceMore : subject.withPatience },
      name: 'confirm#offer-1',
      intent: { code },
      unknown: async () => {
        made.looks += 1;
        return found.code ? { code: found.code } : undefined;
      },
      call: async (context) => {
        made.sent.push(code);
        made.contexts.push(context);
        const failure = fail.shift();
        if (failure) throw failure;
        return { code };
      },
    });
  await expect(attempt('X', tooMany())).rejects.toThrow('Too many.');
  return { found, made, attempt, entry: () => entryOf('confirm#offer-1') };
}

test('an operation that may be done is looked up before something else is sent instead', async () => {
  const { found, made, attempt, entry } = await beginConfirm();
  found.code = 'X';
  expect(await attempt('Y')).toEqual({ code: 'X' });
  expect(made).toMatchObject({ sent: ['X'], looks: 1 });
  expect(await entry()).toMatchObject({ knowledge: { state: 'done', outcome: { code: 'X' } } });
});

test('the same intent is sent again without a look, and another intent after a look that finds nothing', async () => {
  const { made, attempt } = await beginConfirm();
  await expect(attempt('X', tooMany('Again.'))).rejects.toThrow('Again.');
  expect(made.looks).toBe(0);
  expect(await attempt('Y')).toEqual({ code: 'Y' });
  expect(made).toMatchObject({ sent: ['X', 'X', 'Y'], looks: 1 });
  const operation = { subject: 'Order order-1', operation: 'confirm' };
  expect(made.contexts).toMatchObject(
    ['X', 'X', 'Y'].map((code, index) => ({ ...operation, attempt: index + 1, intent: { code } })),
  );
  expect(new Set(made.contexts.map(({ requestId }) => requestId)).size).toBe(3);
});

test('an attempt that was not sent or was refused keeps the intent of the attempt before it', async () => {
  const { attempt, entry } = await beginConfirm();
  await expect(attempt('Y', new ServiceUnavailable('No token.'))).rejects.toThrow('No token.');
  const call = { operation: 'confirm', attempt: 2 };
  expect(await entry()).toMatchObject({ knowledge: { state: 'unlikely' }, intent: { code: 'X' }, call });
  await expect(attempt('Y', refused())).rejects.toThrow(OutcomeUnknown);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open' }, intent: { code: 'X' } });
});

test('an attempt that was repeated and then refused keeps its own intent', async () => {
  const { attempt, entry } = await beginConfirm();
  await expect(attempt('Y', tooMany(), refused())).rejects.toThrow(OutcomeUnknown);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open' }, intent: { code: 'Y' } });
});

/** An operation that is sent again after an unknown outcome, with a step to prepare it. */
async function openOperation() {
  const addEvent = vi.fn(async () => undefined);
  const { subject, entryOf } = await openLedger('prepared', { addEvent });
  const perform = (steps: Pick<Operation<{ sent: number }>, 'prepare' | 'call'>) =>
    performOperation({ subject, name: 'upload', unknown: 'again', ...steps });
  const [prepare, call] = [vi.fn(async () => undefined), vi.fn(async () => ({ sent: 1 }))];
  return { perform, entry: () => entryOf('upload'), addEvent, prepare, call };
}

test('an operation that could not be prepared is recorded as not done, because nothing was sent', async () => {
  const { perform, entry, prepare, call } = await openOperation();
  const failure = new UnexpectedResponse('A page of a gateway.', { call: { httpStatus: 200, excerpt: 'Personal.' } });
  await expect(perform({ prepare: () => Promise.reject(failure), call })).rejects.toBe(failure);
  expect(call).not.toHaveBeenCalled();
  const { knowledge, call: facts, ...recorded } = (await entry()) ?? expect.fail();
  expect([knowledge.state, recorded.failure]).toEqual(['none', 'UnexpectedResponse']);
  expect(facts).toMatchObject({ operation: 'upload', attempt: 1, httpStatus: 200 });
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
  const { perform, entry, addEvent, call } = await openOperation();
  const lost = new OutcomeUnknown('The answer was lost.');
  await expect(perform({ call: () => Promise.reject(lost) })).rejects.toBe(lost);
  const before = await entry();
  const changed = new DocumentChanged('Another document.');
  await expect(perform({ prepare: () => Promise.reject(changed), call })).rejects.toBe(changed);
  expect(await entry()).toEqual(before);
  expect(addEvent).not.toHaveBeenCalled();
});
