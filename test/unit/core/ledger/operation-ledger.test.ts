import { expect, onTestFinished, test, vi } from 'vitest';
import type { Subject } from '../../../../core/ledger/perform-operation.ts';
import { openLedger } from './open-ledger.ts';

/** An operation whose first run hangs in its call until it is released. */
async function beginFirst(orderRef: string) {
  const { performOperation, errors, table, entryOf } = await openLedger();
  const subject: Subject = {
    name: `Order ${orderRef}`,
    table,
    key: { orderRef },
    findOut: 'ask.',
    withPatience: (call) => call(),
    refuseWhileThrottled: () => undefined,
    addEvent: async () => undefined,
  };
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
  return {
    performOperation,
    errors,
    operation,
    finishFirst,
    entryOf,
    entry: () => entryOf(orderRef, 'confirm'),
  };
}

/** An operation that was done but answered 429. Every repeat is refused, and the first `stale` looks do not show that it was done. */
async function beginThrottled(stale: number, first?: Error[]) {
  const { performOperation, errors, operation, finishFirst, entryOf } = await beginFirst('throttled');
  await finishFirst();
  const made = { calls: 0, looks: 0 };
  const answers: Error[] = first ?? [new errors.Throttled('Too many.', { call: { httpStatus: 429 } })];
  const withPatience = <Result>(call: () => Promise<Result>) =>
    call().catch((error) => {
      if (error instanceof errors.Throttled) return call();
      throw error;
    });
  const attempt = () =>
    performOperation({
      subject: { ...operation.subject, withPatience },
      name: 'throttled',
      unknown: async () => (++made.looks > stale ? { by: 'looking' } : undefined),
      call: async () => {
        made.calls += 1;
        throw answers.shift() ?? new errors.Rejected('No.', { call: { httpStatus: 409 } });
      },
    });
  const failWith = (error: Error) => answers.push(error);
  return {
    errors,
    made,
    attempt,
    failWith,
    entry: () => entryOf('throttled', 'throttled'),
  };
}

test('when a repeat after a 429 is refused, the next attempt looks up whether the first one was done', async () => {
  const { errors, made, attempt, entry } = await beginThrottled(0);
  await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open', refusals: 1 }, failure: 'OutcomeUnknown' });
  expect(await attempt()).toEqual({ by: 'looking' });
  expect(made).toEqual({ calls: 2, looks: 1 });
  expect(await entry()).toMatchObject({ knowledge: { state: 'done', outcome: { by: 'looking' } } });
});

test('an operation that was done stays done after stale looks', async () => {
  const { errors, made, attempt, entry } = await beginThrottled(3);
  for (let attempts = 0; attempts < 4; attempts += 1) await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  expect(await attempt()).toEqual({ by: 'looking' });
  expect(made).toEqual({ calls: 5, looks: 4 });
  expect((await entry())?.knowledge).toEqual({ state: 'done', outcome: { by: 'looking' } });
});

test('an operation that was done stays done after another failure, and earlier looks count', async () => {
  const { errors, attempt, failWith, entry } = await beginThrottled(4);
  for (let attempts = 0; attempts < 2; attempts += 1) await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  failWith(new errors.Unauthorized('Who?'));
  await expect(attempt()).rejects.toThrow(errors.Unauthorized);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open', refusals: 2 }, failure: 'Unauthorized' });
  await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open', refusals: 3 } });
});

test('an attempt that may have been done starts counting looks again', async () => {
  const { errors, attempt, failWith, entry } = await beginThrottled(Number.POSITIVE_INFINITY);
  for (let attempts = 0; attempts < 3; attempts += 1) await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  failWith(new errors.OutcomeUnknown('It broke off.'));
  await expect(attempt()).rejects.toThrow('It broke off.');
  expect((await entry())?.knowledge).toEqual({ state: 'open', refusals: 0 });
  await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  expect(await entry()).toMatchObject({ knowledge: { state: 'open', refusals: 1 } });
});

test('a refusal is believed after one look that is long after the first refusal', async () => {
  const { errors, attempt, entry } = await beginThrottled(Number.POSITIVE_INFINITY);
  await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  vi.setSystemTime(Date.now() + 120_000);
  onTestFinished(() => void vi.useRealTimers());
  await expect(attempt()).rejects.toThrow(errors.Rejected);
  expect(await entry()).toMatchObject({ knowledge: { state: 'none' }, failure: 'Rejected', attempts: 2 });
});

test('a refusal is believed after enough looks, and later refusals are believed at once', async () => {
  const { errors, made, attempt, entry } = await beginThrottled(Number.POSITIVE_INFINITY);
  for (let attempts = 0; attempts < 4; attempts += 1) await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  await expect(attempt()).rejects.toThrow(errors.Rejected);
  expect(await entry()).toMatchObject({ knowledge: { state: 'none' }, failure: 'Rejected', attempts: 5 });
  expect(made).toEqual({ calls: 6, looks: 4 });
  await expect(attempt()).rejects.toThrow(errors.Rejected);
  expect(made).toEqual({ calls: 7, looks: 4 });
});

test('a refusal is believed at once if no earlier attempt can have been done', async () => {
  const { errors, made, attempt, failWith, entry } = await beginThrottled(0, []);
  failWith(new errors.ServiceUnavailable('No connection.'));
  failWith(new errors.Unauthorized('Who?', { call: { httpStatus: 401 } }));
  for (let attempts = 0; attempts < 2; attempts += 1) {
    await expect(attempt()).rejects.toThrow();
    expect(await entry()).toMatchObject({ knowledge: { state: 'none' } });
  }
  await expect(attempt()).rejects.toThrow(errors.Rejected);
  expect(await entry()).toMatchObject({ knowledge: { state: 'none' }, failure: 'Rejected' });
  expect(made.looks).toBe(0);
});

test('an operation that was answered 503 may be done, whatever fails after it', async () => {
  const { errors, attempt, failWith, entry } = await beginThrottled(0, []);
  failWith(new errors.ServiceUnavailable('Not now.', { call: { httpStatus: 503 } }));
  failWith(new errors.Unauthorized('Who?', { call: { httpStatus: 401 } }));
  await expect(attempt()).rejects.toThrow(errors.ServiceUnavailable);
  await expect(attempt()).rejects.toThrow(errors.Unauthorized);
  expect(await entry()).toMatchObject({ knowledge: { state: 'unlikely' }, failure: 'Unauthorized' });
  await expect(attempt()).rejects.toThrow(errors.OutcomeUnknown);
  expect(await attempt()).toEqual({ by: 'looking' });
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
