import { afterEach, expect, test } from 'vitest';
import { linesOf, REJECTED } from '../../../functions/shared/rejected/rejected-line.ts';
import type { AwsRequest, InvokeWrapper, RequestWrapper } from '../../../local/aws/index.ts';
import { NO_OFFERS, NO_SIGNATURES } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';

let invoked: InvokeWrapper | undefined;
let requested: RequestWrapper | undefined;

const world = await openWorld({
  settings: { ...NO_SIGNATURES, ...NO_OFFERS },
  invokeWrapper: (functionName, event, invoke) => (invoked ? invoked(functionName, event, invoke) : invoke()),
  requestWrapper: async (request, serve) => requested?.(request, serve),
});

afterEach(() => {
  invoked = undefined;
  requested = undefined;
});

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
  requested = async (request) => {
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
  requested = async (request) => {
    if (!removesPage(request)) return undefined;
    held.resolve();
    requested = undefined;
    await rejected.promise;
    return undefined;
  };
  await submit(world, 'slow-start');
  await held.promise;
  invoked = async (functionName, event, invoke) => {
    const result = await invoke();
    const isOfPackage = functionName.endsWith('intake') && JSON.stringify(event).includes('slow-start/order.json');
    if (isOfPackage) rejected.resolve();
    return result;
  };
  await world.put('slow-start', 'order.json', { ...orderPackage(), offers: { choose: 'manual' } });
  expect(await world.untilEnd('slow-start')).toMatchObject({ status: 'CLOSED', choose: 'rule' });
  const page = await world.stagedJson('slow-start', 'rejected.json');
  expect(page).toMatchObject({ orderRef: 'slow-start', problems: [{ path: '$' }] });
});

test('a document that the package does not name stays answered if it comes while the order starts', async () => {
  const held = hold(readsLines, writesLine);
  await submit(world, 'extra');
  await held;
  await world.put('extra', 'documents/extra.pdf', 'bytes');
  expect(await world.untilEnd('extra')).toMatchObject({ status: 'CLOSED' });
  expect(await listed('extra')).toMatchObject([{ kind: 'upload', key: 'orders/extra/documents/extra.pdf' }]);
});

test('what was rejected before the package was accepted leaves the list', async () => {
  await world.put('mended', 'notes.txt', 'bytes');
  await world.put('mended', 'order.json', orderPackage({ documents: ['charter.pdf'] }));
  await world.aws.settle();
  expect((await listed('mended')).map(({ kind }) => kind).sort()).toEqual(['package', 'upload']);
  await world.put('mended', 'documents/charter.pdf', 'bytes');
  expect(await world.untilEnd('mended')).toMatchObject({ status: 'CLOSED' });
  expect(await listed('mended')).toEqual([]);
  expect(await world.staged('mended', 'rejected.json')).toBeUndefined();
});
