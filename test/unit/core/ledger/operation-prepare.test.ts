import { expect, test, vi } from 'vitest';
import type { Operation, Subject } from '../../../../core/ledger/perform-operation.ts';
import { openLedger } from './open-ledger.ts';

/** An operation that is sent again after an unknown outcome, with a step to prepare it. */
async function openOperation() {
  const { performOperation, errors, table, entryOf } = await openLedger();
  const addEvent = vi.fn(async () => undefined);
  const subject: Subject = {
    name: 'Order prepared',
    table,
    key: { orderRef: 'prepared' },
    findOut: 'ask.',
    addEvent,
    withPatience: (call) => call(),
    refuseWhileThrottled: () => undefined,
  };
  const perform = (steps: Pick<Operation<{ sent: number }>, 'prepare' | 'call'>) =>
    performOperation({ subject, name: 'upload', unknown: 'again', ...steps });
  const entry = () => entryOf('prepared', 'upload');
  return { errors, perform, entry, addEvent };
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
