import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { accepting, creating } from '../../helpers/faults.ts';
import { NO_OFFERS, NO_SIGNATURES, openWorld, runSweep } from '../../helpers/open-world.ts';

const world = await openWorld({
  settings: { ...NO_SIGNATURES, ...NO_OFFERS },
  environment: { IDEMPOTENCY_HEADER: 'Idempotency-Key', IDEMPOTENT: 'true' },
});
const { simulator } = world;
const HEADER = 'idempotency-key';
const KILLED = { payload: '{"errorType":"Sandbox.Timedout"}', functionError: 'Unhandled' } as const;

function rememberKeys(lost: number): void {
  const created = new Map<unknown, string>();
  let left = lost;
  simulator.hooks.before = async (call, { headers }, reply) => {
    const known = creating(call) && created.get(headers[HEADER]);
    if (known) await reply.code(201).type('application/json').send(known);
  };
  simulator.hooks.after = async (call, { headers, raw }, _reply, payload) => {
    if (!creating(call)) return;
    created.set(headers[HEADER], String(payload));
    left -= 1;
    if (left >= 0) raw.socket.destroy();
  };
}

const keysOf = (calls: readonly RecordedCall[]) => calls.map(({ requestHeaders }) => requestHeaders[HEADER]);

test.each([
  ['lost once', 1, 0],
  ['lost for longer than an execution tries', 7, 1],
  ['lost, and the function was killed', 1, 1],
])('a creation whose answer was %s is sent again by itself, with the same key', async (what, lost, sweeps) => {
  const [orderRef, before] = [what.replaceAll(/\W+/g, '-'), simulator.calls().length];
  let kills = what.endsWith('killed') ? 1 : 0;
  world.wrappers.invokeWrapper = async (name, _event, invoke) => {
    const result = await invoke();
    return name.endsWith('create-order') && kills-- > 0 ? KILLED : result;
  };
  rememberKeys(lost);
  await world.submit(orderRef);
  await world.until(orderRef, ({ resume, orderId }) => resume !== undefined || orderId !== undefined);
  if (sweeps > 0) await world.pass(6 * 60_000);
  await runSweep(world);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 + sweeps });
  const keys = keysOf(simulator.calls().slice(before).filter(creating));
  expect([keys.length, new Set(keys).size]).toEqual([lost + 1, 1]);
  expect(keys).not.toContain(keysOf(await world.calls(orderRef, accepting))[0]);
});
