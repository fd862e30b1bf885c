import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import {
  accepting,
  answer,
  confirming,
  creating,
  downloading,
  type Matches,
  signing,
  uploading,
} from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';

const world = await openWorld();
const { simulator } = world;
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
