import { expect, test } from 'vitest';
import { accepting, answer, confirming, creating, inject, uploading } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { shortenFor } from '../../helpers/shortest-way.ts';

/** A stage where 503 proves nothing. */
const wary = await openWorld({
  settings: { bankSeconds: 1 },
  environment: { UNAVAILABLE_PROVES_NOTHING_DONE: 'false' },
});
const { simulator } = wary;

test('in a stage where 503 proves nothing, a creation that is answered 503 is never repeated', async () => {
  const sent = simulator.calls().filter(creating).length;
  inject(simulator, 'before', creating, answer(503));
  await submit(wary, 'wary');
  expect(await wary.untilEnd('wary')).toMatchObject({ waitingFor: 'operator', failure: { error: 'OutcomeUnknown' } });
  expect(simulator.calls().filter(creating)).toHaveLength(sent + 1);
  expect(await wary.knowledge('wary', 'create')).toMatchObject({ state: 'open' });
});

test.each([
  ['upload', uploading],
  ['accept', accepting],
  ['confirm', confirming],
])('a 503 with Retry-After on %s is respected, however short the time is', async (name, matches) => {
  shortenFor(simulator, matches === accepting ? uploading : matches);
  for (const seconds of [1, 300]) {
    const orderRef = `wary-${name}-${seconds}`;
    inject(simulator, 'before', matches, answer(503, undefined, { 'retry-after': `${seconds}` }));
    await submit(wary, orderRef);
    expect(await wary.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    const calls = await wary.calls(orderRef);
    const refused = calls.findIndex(({ status }) => status === 503);
    const [first, next] = calls.slice(refused);
    expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(seconds * 1000);
  }
});
