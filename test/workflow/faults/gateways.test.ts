import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import {
  accepting,
  answer,
  confirming,
  creating,
  downloading,
  inject,
  type Matches,
  reading,
  signing,
  uploading,
} from '../../helpers/faults.ts';
import { choiceStates, decide, untilOffers } from '../../helpers/offers.ts';
import { MAIN_PATH, NO_OFFERS, NO_SIGNATURES, openWorld, runSweep } from '../../helpers/open-world.ts';
import { orderAtService } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: { ...MAIN_PATH, pollAfterSeconds: 5, bankSeconds: 30 } });
const { simulator } = world;
const gateway = (status: number) => answer(status, { error: 'upstream' });

function answerAfterwards(matches: Matches, status: number, headers: object = {}, times = 1): void {
  let left = times;
  simulator.hooks.after = async (call, _request, reply) => {
    if (!matches(call) || left === 0) return undefined;
    left -= 1;
    reply.code(status).headers(headers as Record<string, string>);
    return '{"error":"upstream"}';
  };
}
const RETRY_AFTER = { 'retry-after': '5' };

test.each([
  ['409, as after a repeat of their own', 409, {}],
  ['429', 429, {}],
  ['503', 503, {}],
  ['503 with Retry-After', 503, RETRY_AFTER],
  ['200 and a page', 200, {}],
])('accepts and confirms that gateways answer with %s after the work are made once', async (_what, status, headers) => {
  const orderRef = `after-${status}-${Object.keys(headers).length}`;
  answerAfterwards((call) => accepting(call) || confirming(call), status, headers, 3);
  await world.submit(orderRef, {
    offers: {
      choose: 'rule',
      rule: `(offers[status='AVAILABLE'])[0].{ 'offerId': offerId, 'code': creditOptions[0].code }`,
    },
  });
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await world.calls(orderRef, accepting)).toHaveLength(2);
  expect((await orderAtService(world, orderRef)).confirmations).toHaveLength(1);
  expect(await choiceStates(world, orderRef)).toEqual(['confirmed']);
});

test('a refused confirm beside a good one is told at once, is judged later, and does not vanish', async () => {
  simulator.settings.bankSeconds = 3_000;
  const { choices } = await untilOffers(world, 'beside');
  inject(simulator, 'before', confirming, gateway(409));
  await decide(world, 'beside', choices.slice(0, 2));
  await world.until('beside', async () => (await choiceStates(world, 'beside')).includes('confirmed'));
  const page = await world.stagedJson<{ choices: object[] }>('beside', 'choices.json');
  const refused = { httpStatus: 409, finalAbout: expect.stringMatching(/^20\d\d-/) };
  expect(page.choices[0]).toMatchObject({ state: 'refused, outcome unknown', refused });
  const { failure } = await world.untilEnd('beside');
  expect(failure).toMatchObject({ error: 'Rejected', cause: expect.stringContaining('refused the confirm (409)') });
  expect(await choiceStates(world, 'beside')).toEqual(['refused', 'confirmed']);
  expect(await world.told('beside', 'A confirm was refused')).toHaveLength(1);
});

test('while a confirm is unknown no other is sent, also within one Map', async () => {
  const { choices } = await untilOffers(world, 'one-by-one');
  inject(simulator, 'before', confirming, gateway(503));
  await decide(world, 'one-by-one', choices.slice(0, 2));
  await world.until('one-by-one', async () => (await choiceStates(world, 'one-by-one')).includes('outcome unknown'));
  await world.aws.settle();
  expect(await world.calls('one-by-one', confirming)).toHaveLength(1);
  expect(await world.untilEnd('one-by-one')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await choiceStates(world, 'one-by-one')).toEqual(['confirmed', 'confirmed']);
});

test('where the offers say nothing of confirms, the bank is asked, and its word is recorded', async () => {
  const { order, choices } = await untilOffers(world, 'asked');
  const [, second = expect.fail()] = choices;
  simulator.settings.bankSeconds = 3_000;
  let confirms = 0;
  simulator.hooks.after = async (call, _request, reply) => {
    if (confirming(call) && ++confirms === 2) reply.code(503);
    if (!reading(call)) return undefined;
    const offers = order.offers.map((offer) => ({ ...offer, status: 'AVAILABLE' }));
    return JSON.stringify({ status: order.status, pollAfterSeconds: 5, offers });
  };
  await decide(world, 'asked', choices.slice(0, 2));
  const unknown = ['confirmed', 'outcome unknown'];
  await world.until('asked', async () => `${await choiceStates(world, 'asked')}` === `${unknown}`);
  const { done, refusal } = commandsIn(world);
  const say = ['resolve', 'asked', '--offer', second.offerId] as const;
  expect(await done(...say, '--confirmed')).toContain('was confirmed');
  expect(await refusal(...say, '--confirmed')).toContain('is known: confirmed');
  expect(await world.untilEnd('asked')).toMatchObject({ status: 'CLOSED' });
  expect(await choiceStates(world, 'asked')).toEqual(['confirmed', 'confirmed']);
  expect(order.confirmations).toHaveLength(2);
});

test('after a creation without an answer others wait, nothing of them is recorded as sent, and one is tried at a time', async () => {
  answerAfterwards(creating, 503, {}, 3);
  const before = simulator.calls().length;
  await world.submit('lost');
  expect(await world.untilEnd('lost')).toMatchObject({ waitingFor: 'operator', failure: { error: 'OutcomeUnknown' } });
  const waiting = ['wait-1', 'wait-2', 'wait-3'];
  for (const orderRef of waiting) await world.submit(orderRef);
  await world.aws.settle();
  for (const orderRef of waiting)
    expect((await world.items(orderRef)).map(({ item }) => item)).not.toContain('operation#create');
  expect(await commandsIn(world).done('list')).toMatch(/wait-1/);
  // The first two tries are answered 503, too, and each doubles the wait. Then the service answers.
  const ends = [];
  for (const orderRef of waiting) ends.push(await world.untilEnd(orderRef));
  expect(ends.map(({ status }) => status).sort()).toEqual(['CLOSED', 'RECEIVED', 'RECEIVED']);
  const sent = simulator.calls().slice(before).filter(creating);
  const waits = sent.slice(1).map(({ at }, earlier) => at - (sent[earlier]?.at ?? 0));
  for (const [tries, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(60_000 * 2 ** tries);
});

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
  Object.assign(simulator.settings, { ...NO_SIGNATURES, ...NO_OFFERS });
  world.aws.useFunctionVariables({ IDEMPOTENCY_HEADER: 'Idempotency-Key', IDEMPOTENT: 'true' });
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

const HOUR = 3_600;

/** Each call that a step makes, and the statuses of all calls of its kind. */
const STEPS: [Matches, number[]][] = [
  [creating, [429, 201]],
  [uploading, [429, 201, 201]],
  [accepting, [429, 202, 202]],
  // The document is compared before each attempt to send its signature.
  [downloading, [429, 200, 200, 200]],
  [signing, [429, 201]],
  [confirming, [429, 202, 202]],
];
/** All of them together are longer than outagePatienceHours: each call that is answered starts the patience again. */
const PAUSE = 14;

test('no step calls before the time of a Retry-After, and each is then repeated once, without a failure', async () => {
  // All calls are counted.
  await world.forget();
  const turnedAway = new Set<Matches>();
  simulator.hooks.before = async (call, request, reply) => {
    const [matches] = STEPS.find(([one]) => one(call)) ?? [];
    if (!matches || turnedAway.has(matches)) return;
    turnedAway.add(matches);
    await answer(429, undefined, { 'retry-after': `${PAUSE * HOUR}` })(call, request, reply);
  };
  const heldUntil: (string | undefined)[] = [];
  world.wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (functionName.endsWith('confirm-offer'))
      heldUntil.push((await world.record('all-steps'))?.notBefore.throttled?.backOffUntil);
    return invoke();
  };
  const order = await world.submitToEnd('all-steps', { documents: ['charter.pdf', 'report.pdf'] });
  expect(order).toMatchObject({ status: 'CLOSED', generation: 1, rounds: { documents: { number: 1 } } });
  expect(order.notBefore.throttled).toBeUndefined();
  for (const [matches, expected] of STEPS) {
    // A refused creation names no order, so calls cannot be found by order.
    const calls = simulator.calls().filter(matches);
    expect(calls.map(({ status }) => status).toSorted()).toEqual(expected.toSorted());
    expectPauseAfter(calls.find(({ status }) => status === 429)?.sequence ?? 0);
  }
  expect(simulator.calls().filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
  const history = await world.histories('all-steps');
  expect(history.filter(({ taskFailedEventDetails }) => taskFailedEventDetails)).toEqual([]);
  const lines = world.aws.logs().filter(({ line }) => line.includes('A service asked'));
  expect(lines.length).toBeGreaterThanOrEqual(STEPS.length);
  for (const { line } of lines)
    expect(JSON.parse(line)).toMatchObject({ operation: expect.any(String), httpStatus: 429 });
  // A step that runs before that time does not begin another attempt.
  const attempts = (await world.items('all-steps')).map((item) => Number(item.attempts ?? 0));
  expect(Math.max(...attempts)).toBe(2);
  // Reads show that nothing was done, so the next attempt waits once more. After that, no choice is held back.
  const kinds = heldUntil.map((until) => typeof until);
  expect(kinds.map((kind) => kind === 'string')).toEqual([false, true, false, true, false, false]);
});

/** The call that follows this one comes when the pause is over. Only the upload of the other document may end beside it. */
function expectPauseAfter(sequence: number): void {
  const [first, ...later] = simulator.calls().filter((call) => call.sequence >= sequence);
  const begun = first?.at ?? 0;
  const isBeside = (call: RecordedCall) => uploading(call) && call.at - begun < 1_000;
  const next = later.find((call) => call.route !== '/oauth2/token' && !isBeside(call))?.at ?? 0;
  expect(next - begun).toBeGreaterThanOrEqual(PAUSE * HOUR * 1000);
  expect(next - begun).toBeLessThan((PAUSE * HOUR + 60) * 1000);
}
