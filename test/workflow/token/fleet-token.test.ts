import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import type { OrderServiceClient } from '../../../functions/shared/order/order-service-client.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { clientOf } from '../../helpers/order-service-client.ts';

const FUNCTIONS = 1_000;
const LIFETIME = 3_600;

const world = await openWorld({ settings: { tokenLifetimeSeconds: LIFETIME } });

/** What the stack gives to a function that calls the order service. */
function functionEnvironment(): Record<string, string> {
  const template = readFileSync(join(inject('assemblyDirectory'), 'LoanOrders-local.template.json'), 'utf8');
  const resources: { Properties?: { FunctionName?: string; Environment?: { Variables: Record<string, unknown> } } }[] =
    Object.values(JSON.parse(template).Resources);
  const found = resources.find(({ Properties }) => Properties?.FunctionName === 'loan-orders-local-read-order');
  const texts = Object.entries(found?.Properties?.Environment?.Variables ?? {}).filter(
    (variable): variable is [string, string] => typeof variable[1] === 'string',
  );
  return {
    ...Object.fromEntries(texts),
    ...world.aws.environment,
    ORDER_TABLE: world.outputs.OrderTable ?? '',
    CREDENTIALS_SECRET: world.outputs.CredentialsSecret ?? '',
    ORDER_SERVICE_URL: world.simulator.url,
    TOKEN_URL: `${world.simulator.authorizationUrl}/oauth2/token`,
  };
}

/** The module that every function has of its own, as many times as there are functions, in one process. */
async function startFunctions(): Promise<OrderServiceClient[]> {
  const module = '../../../functions/shared/order/order-service.ts';
  const loaded = Array.from({ length: FUNCTIONS }, (_function, number) => import(`${module}?${number}`));
  return (await Promise.all(loaded)).map(({ orderService }) => orderService());
}

let functions: OrderServiceClient[] = [];
let orderId = '';

beforeAll(async () => {
  for (const [name, value] of Object.entries(functionEnvironment())) vi.stubEnv(name, value);
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
  // Clients below these modules take their address from the environment once.
  vi.resetModules();
  functions = await startFunctions();
  ({ orderId } = await clientOf(world.simulator).createOrder('{"inn":"7707083893"}'));
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** For the order service and for the functions. */
function pass(seconds: number): void {
  world.clock.advanceTo(world.clock.now() + seconds * 1000);
  vi.setSystemTime(world.clock.now());
}

/**
 * All of them read the order at once, but for a turn of the one event loop that they share between the beginnings of two: a machine
 * of its own would not wait for the others. Answers the statuses of the token requests that they made for it.
 */
async function readAtOnce(): Promise<(number | undefined)[]> {
  const before = world.simulator.calls().length;
  const reads: Promise<unknown>[] = [];
  for (const one of functions) {
    reads.push(one.readOrder(orderId));
    await new Promise((turned) => setImmediate(turned));
  }
  await Promise.all(reads);
  const calls = world.simulator.calls().slice(before);
  return calls.filter(({ route }) => route === '/oauth2/token').map(({ status }) => status);
}

test('1,000 functions that begin at once cause one token request, and none as long as the token lives', async () => {
  expect(await readAtOnce()).toEqual([200]);
  pass(0.8 * LIFETIME);
  expect(await readAtOnce()).toEqual([]);
});

test('the next lifetime causes one more, before the token has run out', async () => {
  // The functions refresh at moments of their own in the last tenth of its life.
  pass(0.12 * LIFETIME);
  expect(await readAtOnce()).toEqual([200]);
  pass(0.1 * LIFETIME);
  expect(await readAtOnce()).toEqual([]);
});

test('a token that is refused to all of them at once is replaced once, though some know it and others the one before', async () => {
  pass(0.82 * LIFETIME);
  expect(await readAtOnce()).toEqual([200]);
  world.simulator.revokeAllTokens();
  expect(await readAtOnce()).toEqual([200]);
});

test('a token that ran out while nobody worked is replaced once', async () => {
  pass(2 * LIFETIME);
  expect(await readAtOnce()).toEqual([200]);
});

test('a rotated secret causes one token request, and none with the secret of before', async () => {
  const client_secret = world.simulator.rotateClientSecret();
  await world.putCredentials({ client_id: world.simulator.settings.clientId, client_secret });
  world.simulator.revokeAllTokens();
  expect(await readAtOnce()).toEqual([200]);
});

test('a lock whose holder died is taken over once its time is up', async () => {
  pass(2 * LIFETIME);
  const { orderTable } = await import('../../../functions/shared/order/order-table.ts');
  const token = { orderRef: '#token', item: 'token' };
  expect(await orderTable.getItem(token)).toHaveProperty('sealed');
  await orderTable.updateItem(token, { owner: 'a function that was killed', until: Date.now() - 1 });
  expect(await readAtOnce()).toEqual([200]);
});
