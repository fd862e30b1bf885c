import { expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { accepting, inject, loseRequest, uploading } from '../../helpers/faults.ts';
import { NO_OFFERS, NO_SIGNATURES, openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({
  settings: { ...NO_SIGNATURES, ...NO_OFFERS, pollAfterSeconds: 2, processingSeconds: 3 },
});
const { wrappers, simulator } = world;

/** Lambda's answer to the order's first read is lost. Its function is held until it is let go by what this returns. */
function loseFirstRead(orderRef: string): () => Promise<void> {
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let first: Promise<unknown> | undefined;
  wrappers.requestWrapper = async ({ operation, path }) => {
    if (operation !== 'PUT' || !path.includes(`${orderRef}/snapshot.json`)) return undefined;
    wrappers.requestWrapper = undefined;
    held.resolve();
    await world.aws.pauseUntil(go.promise);
    return undefined;
  };
  wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (first || !functionName.endsWith('read-order')) return invoke();
    first = invoke();
    await held.promise;
    throw Object.assign(new Error('no answer'), { name: 'Lambda.SdkClientException' });
  };
  return async () => {
    go.resolve();
    await first;
  };
}

test('a read that another one has overtaken does not write its older status back, so documents are sent in one round only', async () => {
  const endFirstRead = loseFirstRead('overtaken');
  let staged: OrderItem | undefined;
  inject(simulator, 'before', accepting, async (...call) => {
    await endFirstRead();
    // Its answer was staged over the newer one, so the next read stages its own.
    staged = await world.record('overtaken');
    await loseRequest(...call);
  });
  expect(await world.submitToEnd('overtaken')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(staged).toMatchObject({ status: 'WAITING_FOR_DOCUMENTS' });
  expect(staged).not.toHaveProperty('snapshotSha256');
  expect(await world.calls('overtaken', uploading)).toHaveLength(1);
  expect(await world.calls('overtaken', accepting)).toHaveLength(2);
});
