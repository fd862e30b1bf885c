import { expect, test } from 'vitest';
import { confirming, inject, loseAnswer } from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { environmentOfOtherReadings, otherReadings } from '../../helpers/other-readings.ts';

// The simulator reads some of these settings only when it starts.
const world = await openWorld({ isNew: true, settings: otherReadings, environment: environmentOfOtherReadings() });

interface StagedOffer {
  offerId: unknown;
  status: string;
  approvalStatus: string;
  creditOptions: { code: unknown }[];
}

test('an order ends CLOSED at a service with other property names, numeric identifiers and Basic authentication', async () => {
  await world.submit('other');
  expect(await world.untilEnd('other')).toMatchObject({ status: 'CLOSED', orderId: expect.stringMatching(/^\d{20}$/) });
  const calls = await world.calls('other');
  expect(calls.filter(({ status = 0 }) => status >= 400)).toEqual([]);
  expect(calls.filter(({ earlyBySeconds }) => earlyBySeconds)).toEqual([]);
  const offers = await world.stagedJson<StagedOffer[]>('other', 'offers.json');
  expect(offers.map(({ offerId, status }) => [typeof offerId, status])).toEqual([
    ['string', 'Подтверждено'],
    ['string', 'отказ'],
    ['string', 'Подтверждено'],
  ]);
  const confirms = calls.filter(confirming).map(({ requestBody }) => requestBody?.kind === 'json' && requestBody.text);
  expect(confirms).toEqual([
    `{"offer":${offers[0]?.offerId},"creditOptionCode":12345678901234567890}`,
    `{"offer":${offers[2]?.offerId},"creditOptionCode":"000"}`,
  ]);
});

test('a decision that names an offer as staging shows it is carried out, and its lost confirm is found by the status of the stage', async () => {
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  inject(world.simulator, 'after', confirming, loseAnswer);
  await world.submitUntil('by-hand', ({ waitingFor }) => waitingFor === 'decision', { offers: { choose: 'manual' } });
  const [first] = await world.stagedJson<StagedOffer[]>('by-hand', 'offers.json');
  const choice = { offerId: first?.offerId, code: first?.creditOptions[1]?.code };
  await world.put('by-hand', 'decision.json', { choices: [choice] });
  expect(await world.untilEnd('by-hand')).toMatchObject({ status: 'CLOSED', generation: 1 });
  const { choices } = await world.stagedJson<{ choices: object[] }>('by-hand', 'choices.json');
  expect(choices).toEqual([{ ...choice, state: 'confirmed' }]);
  expect(await world.calls('by-hand', confirming)).toHaveLength(1);
});
