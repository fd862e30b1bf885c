import { expect, test } from 'vitest';
import { answer, creating, inject } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

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
