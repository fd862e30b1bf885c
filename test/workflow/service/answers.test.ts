import { expect, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import {
  accepting,
  answer,
  confirming,
  creating,
  downloading,
  inject,
  loseAnswer,
  type Matches,
  reading,
  type ServiceFault,
  signing,
  uploading,
} from '../../helpers/faults.ts';
import { choiceStates, decide, untilOffers } from '../../helpers/offers.ts';
import { MAIN_PATH, NO_OFFERS, openWorld, rareSweeps } from '../../helpers/open-world.ts';
import { orderAtService } from '../../helpers/signatures.ts';

const HOUR = 3_600_000;
const PATIENCE = 5;
const world = await openWorld({
  settings: { ...MAIN_PATH, pollAfterSeconds: 5, bankSeconds: 30 },
  environment: { OUTAGE_PATIENCE_HOURS: `${PATIENCE}` },
  deliveryWrapper: rareSweeps(10),
});
world.aws.startSchedules();
const { simulator } = world;

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const page = answer(200, '<!doctype html><title>Back soon</title>', HTML);
const emptyFile = answer(200, '', { 'content-type': 'application/pdf' });

function answerFor(matches: Matches, milliseconds: number, ...faults: ServiceFault[]): void {
  let [end, calls] = [0, 0];
  simulator.hooks.before = async (call, request, reply) => {
    if (!matches(call)) return;
    end ||= call.at + milliseconds;
    if (call.at < end) await faults[calls++ % faults.length]?.(call, request, reply);
  };
}

const endings = async (orderRef: string) => {
  const lines = await world.told(orderRef, 'Execution ended');
  return [...new Set(lines.map(({ error }) => error))];
};

const tokenRequestsAfter = (calls: number) =>
  simulator.calls().filter(({ route }, at) => at >= calls && route === '/oauth2/token').length;

const files = [page, emptyFile, ...[202, 204, 302, 404, 409, 425].map((status) => answer(status))];

test.each<[string, Matches, number, ServiceFault[], string[]]>([
  ['one read that is 404', reading, 4_000, [answer(404)], []],
  ['pages for twelve seconds', reading, 12_000, [page], []],
  ['unusable reads for an hour', reading, HOUR, [page, answer(404), answer(204), answer(409)], ['NoUsableAnswer']],
  ['downloads that are no documents', downloading, HOUR, files, ['ServiceUnavailable']],
  ['uploads that fail', uploading, HOUR, [answer(500), answer(200), answer(425)], ['ServiceUnavailable']],
  ['uploads that are throttled', uploading, 2 * HOUR, [answer(429)], ['Throttled']],
  ['signatures that fail', signing, HOUR, [answer(502)], ['ServiceUnavailable']],
  ['accepts that are locked', accepting, 300_000, [answer(423)], []],
])('an order goes on by itself after %s', async (what, matches, milliseconds, faults, ends) => {
  const orderRef = what.replaceAll(' ', '-');
  Object.assign(simulator.settings, NO_OFFERS);
  answerFor(matches, milliseconds, ...faults);
  expect(await world.submitToEnd(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await endings(orderRef)).toEqual(ends);
  const { signatures } = await orderAtService(world, orderRef);
  expect(signatures.every(({ kind }) => kind === 'cms-valid')).toBe(true);
});

test('the patience with uploads that fail ends, although reads are answered', async () => {
  answerFor(uploading, 1_000 * HOUR, answer(500));
  const { failure, waitingFor } = await world.submitToEnd('for-ever');
  expect([failure?.error, waitingFor]).toEqual(['ServiceUnavailable', 'operator']);
  const [first] = await world.told('for-ever', 'Execution ended');
  expect(Date.parse(failure?.at ?? '') - Date.parse(first?.at ?? '')).toBeGreaterThan((PATIENCE - 2) * HOUR);
});

test('a new token that is refused for hours is an outage, for which few tokens are requested, and which the sweep tells', async () => {
  const before = simulator.calls().length;
  const refs = ['token-1', 'token-2'];
  for (const orderRef of refs) await world.submit(orderRef);
  answerFor(({ path }) => path.startsWith('/v1/'), HOUR, answer(401, { error: 'unknown key' }));
  for (const orderRef of refs) {
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    expect(await endings(orderRef)).toEqual(['ServiceUnavailable']);
  }
  expect(tokenRequestsAfter(before)).toBeLessThan(25);
  const words = (await world.stagedKeys('token-1')).filter((key) => key.startsWith('errors/'));
  expect(await world.staged('token-1', words[0] ?? '')).toContain('unknown key');
  const told = world.aws.logs().flatMap(({ line }) => /"OutageSeconds":(\d+)/.exec(line)?.[1] ?? []);
  expect(Math.max(...told.map(Number))).toBeGreaterThan(1_800);
});

test('a service whose clock is 20 s behind takes a new token after one pause', async () => {
  const since: Record<string, number> = {};
  simulator.hooks.before = async (call, request, reply) => {
    const { authorization = '' } = request.headers;
    since[authorization] ??= call.at;
    if (authorization && call.at - since[authorization] < 20_000) await answer(401)(call, request, reply);
  };
  expect(await world.submitToEnd('clock-behind')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test('one 403 to a call whose token had expired is not believed', async () => {
  const statuses = [401, 403];
  simulator.hooks.before = async (call, request, reply) => {
    const status = accepting(call) ? statuses.shift() : undefined;
    if (status !== undefined) await answer(status)(call, request, reply);
  };
  expect(await world.submitToEnd('forbidden-once')).toMatchObject({ status: 'CLOSED', generation: 1 });
});

test('403 is believed with one newer token, and none is requested for the next order', async () => {
  inject(simulator, 'before', reading, answer(403), 20);
  const before = simulator.calls().length;
  for (const orderRef of ['forbidden-1', 'forbidden-2', 'forbidden-3']) {
    const { failure } = await world.submitToEnd(orderRef);
    expect(failure).toMatchObject({ error: 'Rejected', cause: expect.stringContaining('403') });
  }
  expect(tokenRequestsAfter(before)).toBeLessThanOrEqual(2);
});

test.each([
  ['document', uploading],
  ['signature', signing],
] as const)('a refused repeat of a %s may have arrived, and a person says so', async (what, matches) => {
  const orderRef = `repeat-${what}`;
  let calls = 0;
  simulator.hooks.after = async (call, request, reply) => {
    if (!matches(call)) return;
    calls += 1;
    if (calls === 1) await loseAnswer(call, request, reply);
  };
  simulator.hooks.before = async (call, request, reply) => {
    if (matches(call) && calls > 0) await answer(409, { error: 'it is there' })(call, request, reply);
  };
  const { failure } = await world.submitToEnd(orderRef);
  expect(failure).toMatchObject({ error: 'Rejected', cause: expect.stringContaining('may have succeeded') });
  const { done, refusal } = commandsIn(world);
  expect(await done('show', orderRef)).toContain(`resolve ${orderRef} --upload n --done`);
  expect(await refusal('resolve', orderRef, '--upload', '7', '--done')).toContain('no upload 7 of unknown outcome');
  expect(await done('resolve', orderRef, '--upload', '1', '--done')).toContain('accepted without the document');
  await done('retry', orderRef);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  expect(await world.told(orderRef, 'An operator says that an upload was done')).toHaveLength(1);
});

test('the Location of an order whose creation has no body is kept, and offered to resolve', async () => {
  let orderId = '';
  simulator.hooks.after = async (call, _request, reply, payload) => {
    if (!creating(call)) return undefined;
    ({ orderId } = JSON.parse(String(payload)));
    reply.header('location', `/v1/orders/${orderId}`);
    return '';
  };
  expect(await world.submitToEnd('located')).toMatchObject({ waitingFor: 'operator' });
  const { done } = commandsIn(world);
  expect(await done('resolve', 'located', '--none', '--preview')).toContain(`its Location suggests ${orderId}`);
  expect(world.aws.logs().some(({ line }) => line.includes(`/v1/orders/${orderId}"`))).toBe(false);
  await done('resolve', 'located', '--order-id', orderId, '--yes');
  await done('retry', 'located');
  expect(await world.untilEnd('located')).toMatchObject({ status: 'CLOSED', orderId });
});

test('beside a confirm that was answered with an odd success, the others are sent, and reads tell', async () => {
  const { choices } = await untilOffers(world, 'odd-success');
  let confirms = 0;
  simulator.hooks.after = async (call, _request, reply) => {
    if (confirming(call) && ++confirms === 1) reply.code(200);
    return undefined;
  };
  await decide(world, 'odd-success', choices.slice(0, 2));
  await world.until('odd-success', async () => (await choiceStates(world, 'odd-success')).includes('confirmed'));
  const calls = await world.calls('odd-success', (call) => confirming(call) || reading(call));
  const first = calls.findIndex(confirming);
  expect(calls.slice(first, first + 2).filter(confirming)).toHaveLength(2);
  expect(await world.untilEnd('odd-success')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await choiceStates(world, 'odd-success')).toEqual(['confirmed', 'confirmed']);
});

test('a signature that is answered 201 without a signatureId was sent', async () => {
  simulator.hooks.after = async (call) => (signing(call) ? '' : undefined);
  expect(await world.submitToEnd('unnamed')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await world.calls('unnamed', signing)).toHaveLength(1);
  expect(await commandsIn(world).done('show', 'unnamed')).toContain('answered without a signatureId');
});
