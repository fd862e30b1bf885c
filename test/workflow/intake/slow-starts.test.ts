import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { linesOf, REJECTED } from '../../../core/people/rejected-line.ts';
import type { AwsRequest } from '../../../packages/embedded-aws/index.ts';
import { NO_OFFERS, NO_SIGNATURES } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';
import { testWrappers } from '../../helpers/test-wrappers.ts';

const { wrappers, options } = testWrappers();
const world = await openWorld({ settings: { ...NO_SIGNATURES, ...NO_OFFERS }, ...options });

/** What the list of rejected uploads says of the folder. */
const listed = async (orderRef: string) =>
  (await world.items(REJECTED)).filter(({ item }) => item.startsWith(linesOf(orderRef)));

const removesPage = ({ operation, path }: AwsRequest) => operation === 'DELETE' && path.includes('/rejected.json');
const readsLines = ({ operation, body }: AwsRequest) =>
  operation === 'Query' && body.includes(`"${REJECTED}"`) && body.includes('line#orders/');
const stagesPage = ({ operation, path }: AwsRequest) => operation === 'PUT' && path.includes('/rejected.json');
const looksForLine = ({ operation, body }: AwsRequest) => operation === 'GetItem' && body.includes('line#orders/');
const writesLine = ({ operation, body }: AwsRequest) => operation === 'PutItem' && body.includes('line#orders/');

/**
 * Holds the first request that `isHeld` until the request `isAwaited` has come so many times.
 * @returns resolves when the first one is held.
 */
function hold(isHeld: (request: AwsRequest) => boolean, isAwaited: (request: AwsRequest) => boolean, times = 1) {
  const [held, awaited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [hasHeld, left] = [false, times];
  wrappers.requested = async (request) => {
    if (hasHeld && isAwaited(request)) {
      left -= 1;
      if (left === 0) awaited.resolve();
    } else if (!hasHeld && isHeld(request)) {
      hasHeld = true;
      held.resolve();
      await awaited.promise;
    }
    return undefined;
  };
  return held.promise;
}

test.each([
  ['before its page is removed', removesPage, looksForLine, 1],
  ['before its page is removed, and is then put on the list', removesPage, stagesPage, 2],
  ['before the list is looked at', readsLines, stagesPage, 2],
])(
  'an order.json that is rejected while an earlier one starts the order, %s, stays rejected',
  async (name, isHeld, isAwaited, times) => {
    const orderRef = `late-${times}-${isHeld.name}-${name.length}`;
    const held = hold(isHeld, isAwaited, times);
    await submit(world, orderRef);
    await held;
    await world.put(orderRef, 'order.json', { ...orderPackage(), offers: { choose: 'manual' } });
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', choose: 'rule' });
    const page = await world.stagedJson(orderRef, 'rejected.json');
    expect(page).toMatchObject({
      problems: [{ problem: expect.stringContaining('started from an earlier order.json') }],
    });
    expect(await listed(orderRef)).toMatchObject([
      { kind: 'package', versionId: (page as { versionId: string }).versionId },
    ]);
  },
);

test('an order.json that was rejected before an earlier one had started the order stays rejected', async () => {
  const [held, rejected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  wrappers.requested = async (request) => {
    if (!removesPage(request)) return undefined;
    held.resolve();
    wrappers.requested = undefined;
    await rejected.promise;
    return undefined;
  };
  await submit(world, 'slow-start');
  await held.promise;
  void nextCheckOf('slow-start').then(rejected.resolve);
  await world.put('slow-start', 'order.json', { ...orderPackage(), offers: { choose: 'manual' } });
  expect(await world.untilEnd('slow-start')).toMatchObject({ status: 'CLOSED', choose: 'rule' });
  const page = await world.stagedJson('slow-start', 'rejected.json');
  expect(page).toMatchObject({ orderRef: 'slow-start', problems: [{ path: '$' }] });
});

/** Resolves as soon as an intake check of the folder's order.json has ended. */
function nextCheckOf(orderRef: string): Promise<void> {
  const ended = Promise.withResolvers<void>();
  wrappers.invoked = async (functionName, event, invoke) => {
    const result = await invoke();
    const isOfPackage = functionName.endsWith('intake') && JSON.stringify(event).includes(`${orderRef}/order.json`);
    if (isOfPackage) ended.resolve();
    return result;
  };
  return ended.promise;
}

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
    wrappers.requested = async ({ operation, body }) => {
      if (operation !== 'PutItem' || !body.includes('"item":{"S":"order"}')) return undefined;
      wrappers.requested = undefined;
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
    wrappers.requested = async ({ operation, path }) => {
      if (left === 0 || operation !== 'HEAD' || !path.includes('/order.json')) return undefined;
      left -= 1;
      return { status: 400, code: 'BadRequest' };
    };
    go.resolve();
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', choose: 'rule' });
    expect(left).toBe(0);
    expect(await world.stagedJson(orderRef, 'rejected.json')).toMatchObject({ problems: [{ path: '$' }] });
    expect(await listed(orderRef)).toMatchObject([{ kind: 'package', ofOrder: true }]);
  },
);

test('problems that an interrupted check left of the package that became the order are removed when its event comes again', async () => {
  const [held, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let failures = 0;
  wrappers.requested = async (request) => {
    if (request.operation === 'StartExecution') started.resolve();
    if (stagesPage(request)) {
      held.resolve();
      await started.promise;
      failures = 1;
    }
    if (!removesPage(request) || failures === 0) return undefined;
    failures = 0;
    wrappers.requested = undefined;
    return { status: 400, code: 'BadRequest' };
  };
  await world.put('left', 'order.json', orderPackage({ documents: ['late.pdf'] }));
  await held.promise;
  await world.put('left', 'documents/late.pdf', 'bytes');
  expect(await world.untilEnd('left')).toMatchObject({ status: 'CLOSED' });
  expect(wrappers.requested).toBeUndefined();
  await world.aws.runUntil(async () => (await listed('left')).length === 0);
  expect(await world.staged('left', 'rejected.json')).toBeUndefined();
});

test.each([
  ['a document that the package does not name', 'extra', 'documents/extra.pdf'],
  ['a file with a wrong name', 'misnamed', 'Order.json'],
])('%s stays answered if it comes while the order starts', async (_what, orderRef, file) => {
  const held = hold(readsLines, writesLine);
  await submit(world, orderRef);
  await held;
  await world.put(orderRef, file, 'bytes');
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  expect(await listed(orderRef)).toMatchObject([{ kind: 'upload', key: `orders/${orderRef}/${file}`, ofOrder: true }]);
  const Key = `unknown/orders/${orderRef}/${file}.json`;
  const head = new HeadObjectCommand({ Bucket: world.outputs.StagingBucket, Key });
  expect(await world.s3.send(head)).toMatchObject({ VersionId: expect.any(String) });
});

const takesOffLine = ({ operation, body }: AwsRequest) => operation === 'DeleteItem' && body.includes('line#orders/');
const changesLine = ({ operation, body }: AwsRequest) => operation === 'UpdateItem' && body.includes('line#orders/');
const removesAnswer = ({ operation, path }: AwsRequest) => operation === 'DELETE' && path.includes('/unknown/');

test.each([
  ['its line is taken off', 'line', takesOffLine, changesLine],
  ['its answer is removed', 'answer', removesAnswer, writesLine],
])(
  'a file that is on the list keeps its answer if it comes again while the order starts, before %s',
  async (_name, orderRef, isHeld, isAwaited) => {
    await world.put(orderRef, 'notes.txt', 'bytes');
    await world.aws.settle();
    const held = hold(isHeld, isAwaited);
    await submit(world, orderRef);
    await held;
    await world.put(orderRef, 'notes.txt', 'other bytes');
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    const [line] = await listed(orderRef);
    expect(line).toMatchObject({ kind: 'upload', key: `orders/${orderRef}/notes.txt`, ofOrder: true });
    const Key = `unknown/orders/${orderRef}/notes.txt.json`;
    const answer = await world.s3.send(new GetObjectCommand({ Bucket: world.outputs.StagingBucket, Key }));
    expect(JSON.parse((await answer.Body?.transformToString()) ?? '')).toMatchObject({ versionId: line?.versionId });
  },
);
