import { expect, test } from 'vitest';
import type { CallContext } from '../../../../core/errors.ts';
import type { Subject } from '../../../../core/ledger/perform-operation.ts';
import { openLedger } from './open-ledger.ts';

/** A confirm whose code may differ in each attempt. */
async function beginConfirm() {
  const { performOperation, errors, table, entryOf } = await openLedger();
  const subject: Subject = {
    name: 'Order order-1',
    table,
    key: { orderRef: 'order-1' },
    findOut: 'ask.',
    withPatience: (call) =>
      call().catch((error) => {
        if (error instanceof errors.Throttled && error.call.retryAfterSeconds !== undefined) return call();
        throw error;
      }),
    refuseWhileThrottled: () => undefined,
    addEvent: async () => undefined,
  };
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
      subject,
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
  const entry = () => entryOf('order-1', 'confirm#offer-1');
  const throttled = new errors.Throttled('Too many.', { call: { httpStatus: 429 } });
  await expect(attempt('X', throttled)).rejects.toThrow(errors.Throttled);
  return { errors, made, attempt, entry };
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
