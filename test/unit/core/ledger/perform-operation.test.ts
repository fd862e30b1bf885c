import { expect, test, vi } from 'vitest';
import type { CallContext } from '../../../../core/errors.ts';
import type { Operation } from '../../../../core/ledger/perform-operation.ts';
import { onceMore, openLedger } from './open-ledger.ts';

/** An operation whose first run hangs in its call until it is released. */
async function beginFirst(orderRef: string) {
  const { performOperation, errors, subject, entryOf } = await openLedger(orderRef);
  const operation = { subject, name: 'confirm', unknown: async () => undefined };
  const isCalled = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const call = async () => {
    isCalled.resolve();
    await letGo.promise;
    return { by: 'first' };
  };
  const first = performOperation({ ...operation, call });
  await isCalled.promise;
  const finishFirst = async () => {
    letGo.resolve();
    await first;
  };
  return { performOperation, errors, operation, finishFirst, entry: () => entryOf('confirm') };
}

test('an operation that was done stays done after stale looks', async () => {
  const { performOperation, errors, subject, entryOf } = await openLedger('throttled', { withPatience: onceMore });
  const made = { calls: 0, looks: 0 };
  const answers: Error[] = [new errors.Throttled('Too many.', { call: { httpStatus: 429 } })];
  const attempt = () =>
    performOperation({
      subject,
      name: 'confirm',
      unknown: async () => (++made.looks > 3 ? { by: 'looking' } : undefined),
      call: async () => {
        made.calls += 1;
        throw answers.shift() ?? new errors.Rejected('No.', { call: { httpStatus: 409 } });
      },
    });
  for (let attempts = 0; attempts < 4; attempts += 1) await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  expect(await attempt()).toEqual({ by: 'looking' });
  expect(made).toEqual({ calls: 5, looks: 4 });
  expect((await entryOf('confirm'))?.knowledge).toEqual({ state: 'done', outcome: { by: 'looking' } });
});

test('an operation that a late run has done while another run looks it up is not done again', async () => {
  const { performOperation, operation, finishFirst, entry } = await beginFirst('asked');
  let calls = 0;
  const outcome = await performOperation({
    ...operation,
    unknown: async () => {
      await finishFirst();
      return undefined;
    },
    call: async () => ({ by: `second, call ${++calls}` }),
  });
  expect({ outcome, calls }).toEqual({ outcome: { by: 'first' }, calls: 0 });
  expect(await entry()).toMatchObject({ knowledge: { state: 'done', outcome: { by: 'first' } } });
});

test('an operation that a late run has done stays done when the next run fails', async () => {
  const { performOperation, errors, operation, finishFirst, entry } = await beginFirst('failed');
  const call = async () => {
    await finishFirst();
    throw new errors.ServiceUnavailable('Not now.');
  };
  await expect(performOperation({ ...operation, call })).rejects.toThrow('Not now.');
  expect(await entry()).toMatchObject({ knowledge: { state: 'done', outcome: { by: 'first' } } });
});

/** A confirm whose code may differ in each attempt, and whose first attempt was answered 429. */
async function beginConfirm() {
  const { performOperation, errors, subject, entryOf } = await openLedger('order-1');
  const answers: Error[] = [];
  const made = {
    sent: [] as string[],
    contexts: [] as CallContext[],
    looks: 0,
    found: undefined as { code: string } | undefined,
  };
  const attempt = (code: string, ...fail: Error[]) => {
    answers.push(...fail);
    return performOperation({
      subject: { ...subject, withPatience: fail.length > 1 ? onceMore : subject.withPatience },
      name: 'confirm#offer-1',
      intent: { code },
      unknown: async () => {
        made.looks += 1;
        return made.found;
      },
      call: async (context) => {
        made.sent.push(code);
        made.contexts.push(context);
        const failure = answers.shift();
        if (failure) throw failure;
        return { code };
      },
    });
  };
  await expect(attempt('X', new errors.Throttled('Too many.', { call: { httpStatus: 429 } }))).rejects.toThrow(
    'Too many.',
  );
  return { errors, made, attempt, entry: () => entryOf('confirm#offer-1') };
}

test('an operation that may be done is looked up before something else is sent instead', async () => {
  const { made, attempt, entry } = await beginConfirm();
  made.found = { code: 'X' };
  expect(await attempt('Y')).toEqual({ code: 'X' });
  expect(made).toMatchObject({ sent: ['X'], looks: 1 });
  expect(await entry()).toMatchObject({ knowledge: { state: 'done', outcome: { code: 'X' } } });
});

test('the same intent is sent again without a look, and another intent after a look that finds nothing', async () => {
  const { errors, made, attempt } = await beginConfirm();
  await expect(attempt('X', new errors.Throttled('Again.', { call: { httpStatus: 429 } }))).rejects.toThrow('Again.');
  expect(made.looks).toBe(0);
  expect(await attempt('Y')).toEqual({ code: 'Y' });
  expect(made).toMatchObject({ sent: ['X', 'X', 'Y'], looks: 1 });
  const operation = { subject: 'Order order-1', operation: 'confirm' };
  expect(made.contexts).toEqual(
    ['X', 'X', 'Y'].map((code, index) => ({ ...operation, attempt: index + 1, intent: { code } })),
  );
});

test('an attempt that was not sent or was refused keeps the intent of the attempt before it', async () => {
  const { errors, attempt, entry } = await beginConfirm();
  await expect(attempt('Y', new errors.ServiceUnavailable('No token.'))).rejects.toThrow('No token.');
  expect(await entry()).toMatchObject({ knowledge: { state: 'unlikely' }, intent: { code: 'X' } });
  await expect(attempt('Y', new errors.Rejected('No.', { call: { httpStatus: 409 } }))).rejects.toThrow(
    errors.OutcomeUnknown,
  );
  expect(await entry()).toMatchObject({ knowledge: { state: 'open' }, intent: { code: 'X' } });
});

test('an attempt that was repeated and then refused keeps its own intent', async () => {
  const { errors, attempt, entry } = await beginConfirm();
  const soon = new errors.Throttled('Soon.', { call: { httpStatus: 429, retryAfterSeconds: 1 } });
  const refused = new errors.Rejected('No.', { call: { httpStatus: 409 } });
  await expect(attempt('Y', soon, refused)).rejects.toThrow(errors.OutcomeUnknown);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open' }, intent: { code: 'Y' } });
});

/** An operation that is sent again after an unknown outcome, with a step to prepare it. */
async function openOperation() {
  const addEvent = vi.fn(async () => undefined);
  const { performOperation, errors, subject, entryOf } = await openLedger('prepared', { addEvent });
  const perform = (steps: Pick<Operation<{ sent: number }>, 'prepare' | 'call'>) =>
    performOperation({ subject, name: 'upload', unknown: 'again', ...steps });
  return { errors, perform, entry: () => entryOf('upload'), addEvent };
}

const sent = async () => ({ sent: 1 });

test('an operation that could not be prepared is recorded as not done, because nothing was sent', async () => {
  const { errors, perform, entry } = await openOperation();
  const call = vi.fn(sent);
  const failure = new errors.UnexpectedResponse('A page of a gateway.', { call: { httpStatus: 200 } });
  await expect(perform({ prepare: () => Promise.reject(failure), call })).rejects.toBe(failure);
  expect(call).not.toHaveBeenCalled();
  expect(await entry()).toMatchObject({ knowledge: { state: 'none' }, failure: 'UnexpectedResponse' });
  expect(await perform({ prepare: async () => undefined, call })).toEqual({ sent: 1 });
});

test('an attempt that could not be prepared leaves the outcome of the attempt before it unknown', async () => {
  const { errors, perform, entry, addEvent } = await openOperation();
  const lost = new errors.OutcomeUnknown('The answer was lost.');
  await expect(perform({ call: () => Promise.reject(lost) })).rejects.toBe(lost);
  const before = await entry();
  const changed = new errors.DocumentChanged('Another document.');
  await expect(perform({ prepare: () => Promise.reject(changed), call: sent })).rejects.toBe(changed);
  expect(await entry()).toEqual(before);
  expect(addEvent).not.toHaveBeenCalled();
});

test('an operation that is done is not prepared or sent again', async () => {
  const { perform } = await openOperation();
  await perform({ call: sent });
  const prepare = vi.fn(async () => undefined);
  const call = vi.fn(sent);
  expect(await perform({ prepare, call })).toEqual({ sent: 1 });
  expect(prepare).not.toHaveBeenCalled();
  expect(call).not.toHaveBeenCalled();
});
