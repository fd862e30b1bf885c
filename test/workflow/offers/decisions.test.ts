import { expect, test } from 'vitest';
import { bringDeadline } from '../../helpers/awaited.ts';
import { OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

let receiveFails = false;
const world = await openWorld({
  settings: OFFERS_AT_ONCE,
  invokeWrapper: async (functionName, _event, invoke) => {
    if (receiveFails && functionName.endsWith('receive')) throw new Error('Lambda could not run it');
    return invoke();
  },
});

interface StagedOffer {
  offerId: string;
  status: string;
  creditOptions: { code: string }[];
}

const manual = { offers: { choose: 'manual' } };
const waitsForDecision = ({ waitingFor }: { waitingFor: string }) => waitingFor === 'decision';
const confirms = async (orderRef: string) =>
  (await world.calls(orderRef)).filter(({ route }) => route === '/v1/orders/{orderId}/confirm');

async function available(orderRef: string): Promise<{ offerId: string; code: string }[]> {
  const offers = await world.stagedJson<StagedOffer[]>(orderRef, 'offers.json');
  return offers
    .filter(({ status }) => status === 'AVAILABLE')
    .map(({ offerId, creditOptions }) => ({ offerId, code: creditOptions[0]?.code ?? '' }));
}

test('an order waits for a decision without any call, and continues with the decision', async () => {
  await submit(world, 'manual', manual);
  await world.until('manual', waitsForDecision);
  const callsBefore = world.simulator.calls().length;
  expect(await world.stagedJson('manual', 'status.json')).toMatchObject({
    status: 'OFFERS_AVAILABLE',
    waitingFor: 'decision',
  });
  // On the laptop a waiting order is read once a day.
  world.clock.advanceTo(world.clock.now() + 0.9 * DAY);
  await world.aws.settle();
  expect(world.simulator.calls()).toHaveLength(callsBefore);
  const [choice] = await available('manual');
  await world.put('manual', 'decision.json', { choices: [choice] });
  expect(await world.untilEnd('manual')).toMatchObject({ status: 'CLOSED' });
  expect(await confirms('manual')).toMatchObject([{ status: 202, requestBody: { value: choice } }]);
});

test('a decision that cannot be carried out is rejected with its problems, and the order keeps waiting', async () => {
  await submit(world, 'wrong', manual);
  await world.until('wrong', waitsForDecision);
  const [choice] = await available('wrong');
  const refused = (await world.stagedJson<StagedOffer[]>('wrong', 'offers.json')).find(
    ({ status }) => status !== 'AVAILABLE',
  );
  const choices = [
    { offerId: 'nobody', code: 'X' },
    { offerId: refused?.offerId, code: refused?.creditOptions[0]?.code ?? 'X' },
    { ...choice, code: 'no such code' },
  ];
  const wrongs: [unknown, string[]][] = [
    ['{', ['$']],
    [{ choices: 'all' }, ['$.choices']],
    [{ choices: [{ offerId: 1 }], by: 'me' }, ['$.choices[0].offerId', '$.choices[0].code', '$.by']],
    [{ choices }, ['$.choices[0].offerId', '$.choices[1].offerId', '$.choices[2].code']],
  ];
  for (const [wrong, paths] of wrongs) {
    await world.put('wrong', 'decision.json', wrong);
    await world.aws.settle();
    const answer = await world.stagedJson<{ problems: { path: string; mend: string }[] }>(
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
  const rejected = (await world.items('wrong')).filter(({ what }) => what === 'A decision was rejected');
  // Virtual time stands still between the four, so their lines have no order.
  expect(rejected.map(({ problems }) => problems).sort()).toEqual(wrongs.map(([, paths]) => paths.length).sort());
  await world.put('wrong', 'decision.json', { choices: [choice] });
  await world.untilEnd('wrong');
  expect(await confirms('wrong')).toHaveLength(1);
  expect(await world.staged('wrong', 'decision-rejected.json')).toBeUndefined();
});

test('a decision that arrives before the offers is not lost', async () => {
  await submit(world, 'early', manual);
  const { orderId = '' } = await world.until('early', (order) => order.orderId !== undefined);
  const { offers } = await world.untilAtService(orderId, ({ status }) => status === 'OFFERS_AVAILABLE');
  expect(await world.record('early')).toMatchObject({ status: 'IN_WORK' });
  const { offerId, creditOptions } = offers.find(({ status }) => status === 'AVAILABLE') ?? {};
  const choice = { offerId, code: creditOptions?.[0]?.code };
  await world.put('early', 'decision.json', { choices: [choice] });
  expect(await world.untilEnd('early')).toMatchObject({ status: 'CLOSED' });
  expect(await confirms('early')).toMatchObject([{ requestBody: { value: choice } }]);
});

test('a decision for no offer ends the wait, and a later decision can still confirm an offer', async () => {
  await submit(world, 'none', manual);
  await world.until('none', waitsForDecision);
  await world.put('none', 'decision.json', { choices: [] });
  await world.until('none', ({ waitingFor, status }) => waitingFor === 'service' && status === 'OFFERS_AVAILABLE');
  expect(await confirms('none')).toEqual([]);
  await world.put('none', 'decision.json', { choices: [(await available('none'))[0]] });
  await world.untilEnd('none');
  expect(await confirms('none')).toHaveLength(1);
});

test('the latest decision counts for every offer that is not confirmed yet', async () => {
  // The order is read twice while the bank works, and the second read would confirm.
  Object.assign(world.simulator.settings, { pollAfterSeconds: 20, bankSeconds: 60 });
  try {
    await submit(world, 'settled');
    await world.until('settled', ({ status }) => status === 'OFFERS_APPROVED');
    const [third] = await available('settled');
    await world.put('settled', 'decision.json', { choices: [third] });
    await world.aws.settle();
    await world.put('settled', 'decision.json', { choices: [] });
    expect(await world.untilEnd('settled')).toMatchObject({ status: 'CLOSED' });
    expect(await confirms('settled')).toHaveLength(2);
    await world.put('settled', 'decision.json', { choices: [third] });
    await world.aws.settle();
    const answer = await world.stagedJson<{ problems: { problem: string }[] }>('settled', 'decision-rejected.json');
    expect(answer.problems).toMatchObject([{ path: '$', problem: 'The order is CLOSED, which is final.' }]);
  } finally {
    Object.assign(world.simulator.settings, { pollAfterSeconds: 2, bankSeconds: 5 });
  }
});

test('a choice that is withdrawn while the choice before it is being confirmed is not sent', async () => {
  await submit(world, 'second-thoughts', manual);
  await world.until('second-thoughts', waitsForDecision);
  const [first, second] = await available('second-thoughts');
  const states = async () => {
    const page = await world.stagedJson<{ choices: { state: string }[] }>('second-thoughts', 'choices.json');
    return page.choices.map(({ state }) => state);
  };
  world.simulator.hooks.before = async (call) => {
    if (call.route !== '/v1/orders/{orderId}/confirm') return;
    delete world.simulator.hooks.before;
    await world.put('second-thoughts', 'decision.json', { choices: [first] });
    await expect.poll(states).toEqual(['outcome unknown', 'withdrawn']);
  };
  await world.put('second-thoughts', 'decision.json', { choices: [first, second] });
  expect(await world.untilEnd('second-thoughts')).toMatchObject({ status: 'CLOSED' });
  expect(await confirms('second-thoughts')).toMatchObject([{ requestBody: { value: first } }]);
  expect(await states()).toEqual(['confirmed', 'withdrawn']);
});

test.each([
  ['backtracks forever', `$match("${'a'.repeat(60)}!", /^(a+)+$/)`],
  ['needs too much memory', '[1..10000000]'],
  ['fails', '$error("no")'],
  ['returns nonsense', '42'],
  ['chooses nothing', "offers[status='NOBODY']"],
  [
    'chooses what is not AVAILABLE',
    "offers[status!='AVAILABLE'][0].{ 'offerId': offerId, 'code': creditOptions[0].code }",
  ],
  ['chooses a code that does not exist', "offers[status='AVAILABLE'][0].{ 'offerId': offerId, 'code': 'X' }"],
])('a rule that %s leaves the decision to a person and gives the reason', async (name, rule) => {
  const orderRef = `rule-${name.replaceAll(' ', '-')}`;
  await submit(world, orderRef, { offers: { choose: 'rule', rule } });
  await world.until(orderRef, waitsForDecision);
  expect(await confirms(orderRef)).toEqual([]);
  const reasons = (await world.items(orderRef)).flatMap(({ what, reason }) =>
    what === 'A human must choose' ? [reason] : [],
  );
  expect(reasons).toEqual([expect.stringMatching(/^The rule/)]);
  expect(await world.stagedJson(orderRef, 'choices.json')).toMatchObject({ reason: reasons[0], choices: [] });
  expect(await world.record(orderRef)).toMatchObject({ decisionReason: reasons[0] });
});

test('an order without a decision at the deadline fails with DecisionOverdue and waits for an operator', async () => {
  await submit(world, 'overdue', manual);
  await world.until('overdue', waitsForDecision);
  await bringDeadline(world, 'overdue');
  const order = await world.untilEnd('overdue');
  expect(order).toMatchObject({
    status: 'OFFERS_AVAILABLE',
    waitingFor: 'operator',
    failure: { error: 'DecisionOverdue' },
  });
  expect((await world.executions('overdue')).at(-1)).toMatchObject({ status: 'FAILED' });
});

test('after the service refused a code, the next execution confirms the corrected code', async () => {
  await submit(world, 'corrected', manual);
  await world.until('corrected', waitsForDecision);
  const [offer] = (await world.stagedJson<StagedOffer[]>('corrected', 'offers.json')).filter(
    ({ status }) => status === 'AVAILABLE',
  );
  const [first, second] = offer?.creditOptions.map(({ code }) => ({ offerId: offer.offerId, code })) ?? [];
  world.simulator.hooks.before = async (call, _request, reply) => {
    const refused = call.path.endsWith('/confirm') && JSON.stringify(call.requestBody).includes(first?.code ?? '');
    if (refused) await reply.code(422).send({ error: { code: 'unknown_credit_option' } });
  };
  await world.put('corrected', 'decision.json', { choices: [first] });
  expect(await world.untilEnd('corrected')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  // The event of the corrected decision is lost. The next execution finds the file anyway.
  receiveFails = true;
  await world.put('corrected', 'decision.json', { choices: [second] });
  await world.startNext('corrected');
  receiveFails = false;
  expect(await world.untilEnd('corrected')).toMatchObject({ status: 'CLOSED', generation: 2 });
  expect((await confirms('corrected')).map(({ status }) => status)).toEqual([422, 202]);
});

test('a decision that repeats a confirmed choice is accepted, and only the new choice is confirmed', async () => {
  await submit(world, 'again', manual);
  await world.until('again', waitsForDecision);
  const [first, second] = await available('again');
  await world.put('again', 'decision.json', { choices: [first] });
  await world.until('again', ({ status }) => status === 'OFFERS_APPROVED');
  await world.put('again', 'decision.json', { choices: [first, second] });
  expect(await world.untilEnd('again')).toMatchObject({ status: 'CLOSED' });
  expect(await world.staged('again', 'decision-rejected.json')).toBeUndefined();
  expect((await confirms('again')).map(({ status }) => status)).toEqual([202, 202]);
});
