import { expect, test } from 'vitest';
import { NO_OFFERS, NO_SIGNATURES } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: { ...NO_SIGNATURES, ...NO_OFFERS } });

/** Resolves as soon as an intake check of the folder's order.json has ended. */
function nextCheckOf(orderRef: string): Promise<void> {
  const ended = Promise.withResolvers<void>();
  world.wrappers.invokeWrapper = async (functionName, event, invoke) => {
    const result = await invoke();
    const isOfPackage =
      functionName.endsWith('check-package') && JSON.stringify(event).includes(`${orderRef}/order.json`);
    if (isOfPackage) ended.resolve();
    return result;
  };
  return ended.promise;
}

/** Holds the first start of an execution. Returns when it is held, and what lets it go on. */
function holdStart() {
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.wrappers.requestWrapper = async ({ operation }) => {
    if (operation !== 'StartExecution') return undefined;
    world.wrappers.requestWrapper = undefined;
    held.resolve();
    await go.promise;
    return undefined;
  };
  return { held: held.promise, go: go.resolve };
}

test('an order.json that comes while an earlier one starts the order is rejected', async () => {
  const { held, go } = holdStart();
  await submit(world, 'late');
  await held;
  void nextCheckOf('late').then(go);
  await world.put('late', 'order.json', { ...orderPackage(), offers: { choose: 'manual' } });
  expect(await world.untilEnd('late')).toMatchObject({ status: 'CLOSED', choose: 'rule' });
  const problem = expect.stringContaining('started from an earlier order.json');
  expect(await world.packageProblems('late')).toMatchObject([{ path: '$', problem }]);
});

test.each([
  ['', 'slow-record', 0],
  [', also if the start fails when it looks at it', 'failed-look', 1],
])(
  'an order.json that is invalid, and is checked before the order of an earlier one is recorded, stays rejected%s',
  async (_name, orderRef, failures) => {
    const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Handled before: an event of the document would record the order too.
    await world.put(orderRef, 'documents/charter.pdf', 'a scan');
    await world.aws.settle();
    world.wrappers.requestWrapper = async ({ operation, body }) => {
      if (operation !== 'PutItem' || !body.includes('"item":{"S":"order"}')) return undefined;
      world.wrappers.requestWrapper = undefined;
      held.resolve();
      await go.promise;
      return undefined;
    };
    await world.put(orderRef, 'order.json', orderPackage());
    await held.promise;
    const checked = nextCheckOf(orderRef);
    await world.put(orderRef, 'order.json', { nonsense: 1 });
    await checked;
    let left = failures;
    world.wrappers.requestWrapper = async ({ operation, path }) => {
      if (left === 0 || operation !== 'HEAD' || !path.includes('/order.json')) return undefined;
      left -= 1;
      return { status: 400, code: 'BadRequest' };
    };
    go.resolve();
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', choose: 'rule' });
    expect(left).toBe(0);
    expect(await world.answers(orderRef)).toMatchObject([{ kind: 'package', afterStart: true }]);
  },
);

test.each([
  ['a document that the package does not name', 'extra', 'documents/extra.pdf'],
  ['a file with a wrong name', 'misnamed', 'Order.json'],
])('%s stays answered if it comes while the order starts', async (_what, orderRef, file) => {
  const { held, go } = holdStart();
  await submit(world, orderRef);
  await held;
  world.wrappers.requestWrapper = async ({ operation, path }) => {
    if (operation === 'PUT' && path.includes('/rejected/')) go();
    return undefined;
  };
  await world.put(orderRef, file, 'bytes');
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  expect(await world.answers(orderRef)).toMatchObject([{ kind: 'upload', key: `orders/${orderRef}/${file}` }]);
});
