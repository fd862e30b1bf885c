import { expect, test } from 'vitest';
import { confirming } from '../../helpers/faults.ts';
import { decide, untilOffers } from '../../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE });
const confirms = (orderRef: string) => world.calls(orderRef, confirming);

test('a decision that cannot be carried out is rejected with its problems, and the order keeps waiting', async () => {
  const { order, choices: possible } = await untilOffers(world, 'wrong');
  const [choice] = possible;
  const refused = order.offers.find(({ status }) => status !== 'AVAILABLE');
  const choices = [
    { offerId: 'nobody', code: 'X' },
    { offerId: refused?.offerId, code: refused?.creditOptions[0]?.code ?? 'X' },
    { ...choice, code: 'no such code' },
  ];
  const wrongs: [unknown, string[]][] = [
    ['{', ['$']],
    [{ choices: [{ offerId: 1 }], by: 'me' }, ['$.choices[0].offerId', '$.choices[0].code', '$.by']],
    [{ choices }, ['$.choices[0].offerId', '$.choices[1].offerId', '$.choices[2].code']],
    ['', ['$']],
    [`{"choices":[]${' '.repeat(2 * 1024 * 1024)}}`, ['$']],
  ];
  for (const [wrong, paths] of wrongs) {
    await world.putAndSettle('wrong', 'decision.json', wrong);
    const answer = await world.stagedJson<{ problems: { path: string; fix: string }[] }>(
      'wrong',
      'decision-rejected.json',
    );
    expect(answer.problems.map(({ path }) => path)).toEqual(paths);
  }
  expect(await world.record('wrong')).toMatchObject({ waitingFor: 'decision' });
  expect(await confirms('wrong')).toEqual([]);
  // The wait begins again, and the same file is judged again.
  world.clock.advanceTo(world.clock.now() + 1.1 * DAY);
  await world.aws.settle();
  const rejected = await world.told('wrong', 'A decision was rejected');
  // Virtual time stands still between them, so their lines have no order.
  expect(rejected.map(({ problems }) => problems).sort()).toEqual(wrongs.map(([, paths]) => paths.length).sort());
  await decide(world, 'wrong', [choice]);
  await world.untilEnd('wrong');
  expect(await confirms('wrong')).toHaveLength(1);
  expect(await world.staged('wrong', 'decision-rejected.json')).toBeUndefined();
  await decide(world, 'wrong', []);
  await world.aws.settle();
  expect(await world.stagedJson('wrong', 'decision-rejected.json')).toMatchObject({
    problems: [{ path: '$', problem: 'The order is CLOSED, which is final.' }],
  });
});

test('a rule that chooses nothing leaves the decision to a person and gives the reason', async () => {
  await world.submit('by-rule', { offers: { choose: 'rule', rule: "offers[status='NOBODY']" } });
  await world.until('by-rule', ({ waitingFor }) => waitingFor === 'decision');
  expect(await confirms('by-rule')).toEqual([]);
  const reasons = (await world.told('by-rule', 'A human must choose')).map(({ reason }) => reason);
  expect(reasons).toEqual([expect.stringMatching(/^The rule/)]);
  expect(await world.stagedJson('by-rule', 'choices.json')).toMatchObject({ reason: reasons[0], choices: [] });
  expect(await world.record('by-rule')).toMatchObject({ decisionReason: reasons[0] });
});

test('after the service refused a code, the next execution confirms the corrected code', async () => {
  const [offer] = (await untilOffers(world, 'corrected')).offers;
  const [first, second] = offer?.codes.map((code) => ({ offerId: offer.offerId, code })) ?? [];
  world.simulator.hooks.before = async (call, _request, reply) => {
    const refused = call.path.endsWith('/confirm') && JSON.stringify(call.requestBody).includes(first?.code ?? '');
    if (refused) await reply.code(422).send({ error: { code: 'unknown_credit_option' } });
  };
  await decide(world, 'corrected', [first]);
  expect(await world.untilEnd('corrected')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  // The event of the corrected decision is lost. The next execution finds the file anyway.
  world.wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (functionName.endsWith('receive-upload')) throw new Error('Lambda could not run it');
    return invoke();
  };
  await decide(world, 'corrected', [second]);
  await world.startNext('corrected');
  world.wrappers.invokeWrapper = undefined;
  expect(await world.untilEnd('corrected')).toMatchObject({ status: 'CLOSED', generation: 2 });
  expect((await confirms('corrected')).map(({ status }) => status)).toEqual([422, 202]);
});
