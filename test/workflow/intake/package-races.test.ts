import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import { NO_OFFERS, NO_SIGNATURES, openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { holdFirst } from '../../helpers/requests.ts';

const world = await openWorld({ settings: { ...NO_SIGNATURES, ...NO_OFFERS } });

const answers = ({ service, operation, path }: AwsRequest, orderRef: string) =>
  service === 'S3' && operation === 'PUT' && path.includes(`/rejected/orders/${orderRef}/order.json/`);

test('the answer of a slow check that saw a missing file is superseded if the order has started meanwhile', async () => {
  const [held, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.wrappers.requestWrapper = async (request) => {
    if (request.operation === 'StartExecution' && request.body.includes('slow-check-1')) started.resolve();
    if (!answers(request, 'slow-check')) return undefined;
    held.resolve();
    await started.promise;
    return undefined;
  };
  await world.put('slow-check', 'order.json', orderPackage({ documents: ['late.pdf'] }));
  await held.promise;
  await world.put('slow-check', 'documents/late.pdf', 'bytes');
  expect(await world.untilEnd('slow-check')).toMatchObject({ status: 'CLOSED' });
  expect(await world.answers('slow-check')).toEqual([]);
});

test('a slow check does not replace the answer of a later one', async () => {
  const answered = Promise.withResolvers<void>();
  const { held, go } = holdFirst(world, (request) => answers(request, 'overlapping'));
  void answered.promise.then(go);
  const stopWatching = world.aws.watch((change) => {
    if (change.type === 'object' && change.key.startsWith('rejected/orders/overlapping/')) answered.resolve();
  });
  await world.put('overlapping', 'order.json', orderPackage({ documents: ['a.pdf', 'b.pdf'] }));
  await held;
  await world.put('overlapping', 'documents/a.pdf', 'bytes');
  await answered.promise;
  await world.aws.settle();
  stopWatching();
  expect(await world.packageProblems('overlapping')).toMatchObject([{ path: '$.documents[1].file' }]);
});

test('a document that is replaced while its package is recorded is sent in its new version', async () => {
  // Two events of the package both find no order. The second one records it only after the first one has started it.
  const [one, both, started] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  let recordings = 0;
  world.wrappers.requestWrapper = async ({ operation, body }) => {
    if (operation === 'StartExecution' && body.includes('overtaken-1')) started.resolve();
    const isRecording =
      operation === 'PutItem' && body.includes('"item":{"S":"order"}') && body.includes('"overtaken"');
    if (!isRecording) return undefined;
    recordings += 1;
    (recordings === 1 ? one : both).resolve();
    await (recordings === 1 ? both : started).promise;
    return undefined;
  };
  await world.put('overtaken', 'documents/charter.pdf', 'a scan');
  // Its event is handled: it found no order.json.
  await world.aws.settle();
  await world.put('overtaken', 'order.json', orderPackage());
  await one.promise;
  await world.put('overtaken', 'documents/charter.pdf', 'a better scan');
  expect(await world.untilEnd('overtaken')).toMatchObject({ status: 'CLOSED' });
  expect(recordings).toBe(2);
  expect(await world.record('overtaken')).toMatchObject({ documentsReplaced: 1, documents: [{ size: 13 }] });
});

test('an order whose start failed is started by the next event of its package', async () => {
  let isDown = true;
  const failed = Promise.withResolvers<void>();
  world.wrappers.requestWrapper = async ({ operation, body }) =>
    isDown && operation === 'StartExecution' && body.includes('not-started-1')
      ? { status: 400, code: 'StateMachineDeleting' }
      : undefined;
  world.wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    const result = await invoke();
    if (functionName.endsWith('check-package') && result.payload.includes('itemIdentifier')) failed.resolve();
    return result;
  };
  await world.submit('not-started');
  await failed.promise;
  isDown = false;
  await world.put('not-started', 'order.json', orderPackage());
  expect(await world.untilEnd('not-started')).toMatchObject({ status: 'CLOSED' });
  // It says what the one that started the order said.
  expect(await world.answers('not-started')).toEqual([]);
});

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

test('an order.json that comes while an earlier one starts the order is rejected', async () => {
  const { held, go } = holdFirst(world, ({ operation }) => operation === 'StartExecution');
  await world.submit('late');
  await held;
  void nextCheckOf('late').then(go);
  await world.put('late', 'order.json', { ...orderPackage(), offers: { choose: 'manual' } });
  expect(await world.untilEnd('late')).toMatchObject({ status: 'CLOSED', choose: 'rule' });
  const problem = expect.stringContaining('started from an earlier order.json');
  expect(await world.packageProblems('late')).toMatchObject([{ path: '$', problem }]);
});

test('an order.json that is invalid, and is checked before the order of an earlier one is recorded, stays rejected, also if the look at it fails once', async () => {
  // Handled before: an event of the document would record the order too.
  await world.putAndSettle('failed-look', 'documents/charter.pdf', 'a scan');
  const { held, go } = holdFirst(
    world,
    ({ operation, body }) => operation === 'PutItem' && body.includes('"item":{"S":"order"}'),
  );
  await world.put('failed-look', 'order.json', orderPackage());
  await held;
  const checked = nextCheckOf('failed-look');
  await world.put('failed-look', 'order.json', { nonsense: 1 });
  await checked;
  let left = 1;
  world.wrappers.requestWrapper = async ({ operation, path }) => {
    if (left === 0 || operation !== 'HEAD' || !path.includes('/order.json')) return undefined;
    left -= 1;
    return { status: 400, code: 'BadRequest' };
  };
  go();
  expect(await world.untilEnd('failed-look')).toMatchObject({ status: 'CLOSED', choose: 'rule' });
  expect(left).toBe(0);
  expect(await world.answers('failed-look')).toMatchObject([{ kind: 'package', afterStart: true }]);
});
