import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { OrderServiceClient } from '../../../core/order-service/order-service-client.ts';
import { functionEnvironment } from '../../helpers/function-environment.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { clientOf } from '../../helpers/order-service-client.ts';

/** Enough to compete for the token. */
const FUNCTIONS = 30;
const LIFETIME = 3_600;

const settings = { tokenLifetimeSeconds: LIFETIME };
const world = await openWorld({ settings });

const context = { subject: 'Order order-10045', operation: 'read-order', requestId: 'r' };

let loads = 0;
/** Loads the module once for each function, in one process, because every function has its own instance. */
async function startFunctions(): Promise<OrderServiceClient[]> {
  const module = '../../../core/order-service/order-service.ts';
  loads += FUNCTIONS;
  const loaded = Array.from({ length: FUNCTIONS }, (_function, number) => import(`${module}?${loads + number}`));
  return (await Promise.all(loaded)).map(({ orderService }) => orderService(context));
}

let functions: OrderServiceClient[] = [];
let orderId = '';

beforeAll(() => {
  for (const [name, value] of Object.entries(functionEnvironment(world, 'read-order'))) vi.stubEnv(name, value);
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
  // The clients that these modules use read their address from the environment only once.
  vi.resetModules();
});

beforeEach(async () => {
  await world.forget(settings);
  vi.setSystemTime(world.clock.now());
  functions = await startFunctions();
  ({ orderId } = await clientOf(world.simulator).createOrder('{"inn":"7707083893"}'));
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.resetModules();
});

function passSeconds(seconds: number): void {
  world.clock.advanceTo(world.clock.now() + seconds * 1000);
  vi.setSystemTime(world.clock.now());
}

/** Between two starts the shared event loop gets one turn, because functions on separate machines would not wait for each other. */
async function readAtOnce(): Promise<(number | undefined)[]> {
  const before = world.simulator.calls().length;
  const reads: Promise<unknown>[] = [];
  for (const client of functions) {
    reads.push(client.readOrder(orderId));
    await new Promise((turned) => setImmediate(turned));
  }
  await Promise.all(reads);
  const calls = world.simulator.calls().slice(before);
  return calls.filter(({ route }) => route === '/oauth2/token').map(({ status }) => status);
}

test('functions at once request one token when they start, one before it expires, and one when it is refused', async () => {
  expect(await readAtOnce()).toEqual([200]);
  passSeconds(0.8 * LIFETIME);
  expect(await readAtOnce()).toEqual([]);
  // Each function renews at its own moment between 0.9 and 0.95 of the lifetime.
  passSeconds(0.13 * LIFETIME);
  expect(await readAtOnce()).toEqual([200]);
  passSeconds(0.1 * LIFETIME);
  expect(await readAtOnce()).toEqual([]);
  passSeconds(0.83 * LIFETIME);
  expect(await readAtOnce()).toEqual([200]);
  // Some functions still hold the older token.
  world.simulator.revokeAllTokens();
  expect(await readAtOnce()).toEqual([200]);
});

test('a rotated client secret causes one token request, and none with the old secret', async () => {
  expect(await readAtOnce()).toEqual([200]);
  const client_secret = world.simulator.rotateClientSecret();
  await world.putCredentials({ client_id: world.simulator.settings.clientId, client_secret });
  world.simulator.revokeAllTokens();
  expect(await readAtOnce()).toEqual([200]);
});

test('the token lock of a killed function is taken over after it expires', async () => {
  expect(await readAtOnce()).toEqual([200]);
  passSeconds(2 * LIFETIME);
  const { orderTable } = await import('../../../core/aws/order-table.ts');
  const token = { orderRef: '#token', item: 'token' };
  expect(await orderTable.getItem(token)).toHaveProperty('sealed');
  await orderTable.updateItem(token, { owner: 'a function that was killed', until: Date.now() - 1 });
  expect(await readAtOnce()).toEqual([200]);
});
