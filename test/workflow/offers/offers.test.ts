import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { expect, test, vi } from 'vitest';
import type { Written } from '../../../core/package/decision-schema.ts';
import type { Decided } from '../../../core/package/kept-decision.ts';
import { restore } from '../../../core/reading/kept-read.ts';
import { answer, confirming, inject, loseAnswer, reading } from '../../helpers/faults.ts';
import { choiceStates, choicesOf, decide, type StagedChoice, untilOffers } from '../../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld, runSweep } from '../../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE } from '../../helpers/packages.ts';
import { beforeFirst } from '../../helpers/requests.ts';
import { orderAtService } from '../../helpers/signatures.ts';
import { everythingOf } from '../../helpers/stored-bytes.ts';
import { listenToEvents } from '../../helpers/told-events.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 } });

test('choices.json shows a confirm during which the last choice was withdrawn', async () => {
  const orderRef = 'withdrawn-meanwhile';
  const { choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  inject(world.simulator, 'before', confirming, async () => {
    await decide(world, orderRef, [first]);
    await vi.waitFor(async () => expect((await choiceStates(world, orderRef))[1]).toBe('withdrawn'), 10_000);
  });
  await decide(world, orderRef, [first, second]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(await choiceStates(world, orderRef)).toEqual(['confirmed', 'withdrawn']);
});

test('a choice that is replaced while its confirm begins is not sent', async () => {
  const orderRef = 'replaced-meanwhile';
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  const begins = ({ operation, body }: AwsRequest) =>
    operation === 'PutItem' && body.includes(`operation#confirm#${first?.offerId}`);
  beforeFirst(world, begins, async () => {
    await decide(world, orderRef, [second]);
    await vi.waitFor(async () => expect((await choiceStates(world, orderRef))[0]).toBe('withdrawn'), 10_000);
  });
  await decide(world, orderRef, [first]);
  await world.untilEnd(orderRef);
  expect(order.confirmations).toMatchObject([second ?? {}]);
});

test.each([
  ['an invalid decision follows', (orderRef: string) => world.put(orderRef, 'decision.json', '{ "choices": oops')],
  ['its file is deleted', (orderRef: string) => world.removeFromIntake(orderRef, 'decision.json')],
])('an accepted decision counts and wakes the order, although %s at once', async (name, follow) => {
  const orderRef = `taken-though-${name.length}`;
  const { order, choices } = await untilOffers(world, orderRef);
  const [choice] = choices;
  const writesDecision = ({ operation, body }: AwsRequest) =>
    operation === 'UpdateItem' && body.includes('":decision"') && body.includes(orderRef);
  beforeFirst(world, writesDecision, () => follow(orderRef));
  await decide(world, orderRef, [choice]);
  await world.aws.settle();
  expect(order.confirmations).toMatchObject([choice ?? {}]);
  expect(await world.told(orderRef, 'A decision arrived')).toHaveLength(1);
});

test('a read that is refused while the outcome of a confirm is unknown does not count as a refused confirm', async () => {
  const { simulator } = world;
  const { order, choices } = await untilOffers(world, 'forbidden');
  const [first] = choices;
  // The bank takes longer than the settling time after which a read is believed.
  Object.assign(simulator.settings, { bankSeconds: 300, pollAfterSeconds: 20 });
  inject(simulator, 'after', confirming, loseAnswer);
  let reads = 0;
  simulator.hooks.before = async (call, request, reply) => {
    if (reading(call) && order.confirmations.length > 0 && ++reads <= 2) await answer(403)(call, request, reply);
  };
  await decide(world, 'forbidden', [first]);
  const { failure } = await world.untilEnd('forbidden');
  expect(failure?.cause).not.toContain('confirm');
  expect(await world.told('forbidden', 'A confirm was refused')).toEqual([]);
  await world.startNext('forbidden');
  expect(await world.untilEnd('forbidden')).toMatchObject({ status: 'CLOSED' });
  expect(order.confirmations).toMatchObject([first ?? {}]);
});

test('offerIds and codes in Cyrillic, with spaces, slashes and quotes are confirmed unchanged by rule and by decision', async () => {
  const odd = (offerId: string, code: string) => ({
    offerId,
    bankName: 'Банк',
    status: 'AVAILABLE',
    creditOptions: [{ code, amount: 1, termMonths: 1, rate: 1 }],
  });
  world.simulator.settings.offers = [odd('Предложение № 1/а', 'срок 12 "мес"'), odd('a b#c', "д'Артаньян")];
  await world.submit('cyrillic', { offers: { choose: 'rule', rule: `(${FIRST_TWO_AVAILABLE})[0]` } });
  const { orderId = '' } = await world.until('cyrillic', ({ status }) => status === 'OFFERS_APPROVED');
  await world.put('cyrillic', 'decision.json', { choices: [{ offerId: 'a b#c', code: "д'Артаньян" }] });
  await world.untilEnd('cyrillic');
  expect(world.simulator.order(orderId)?.confirmations).toMatchObject([
    { offerId: 'Предложение № 1/а', code: 'срок 12 "мес"' },
    { offerId: 'a b#c', code: "д'Артаньян" },
  ]);
});

test('malformed elements in the list of offers are staged unchanged and never chosen', async () => {
  await world.submit('odd', { offers: { choose: 'manual' } });
  const nonsense = [null, 7, 'offer', [], {}, { offerId: 'x', status: 'AVAILABLE', creditOptions: [null, 'X'] }];
  world.simulator.hooks.before = async (call, request, reply) => {
    const order = reading(call) ? world.simulator.order(call.orderId ?? '') : undefined;
    if (!order || order.offers.length === 0) return;
    const twice = { ...order.offers[0], status: 'WITHDRAWN' };
    const body = { status: order.status, pollAfterSeconds: 2, offers: [...nonsense, ...order.offers, twice] };
    await answer(200, body)(call, request, reply);
  };
  await world.until('odd', ({ waitingFor }) => waitingFor === 'decision');
  expect((await world.stagedJson<unknown[]>('odd', 'offers.json')).slice(0, nonsense.length)).toEqual(nonsense);
  const [listedTwice, other] = choicesOf(await orderAtService(world, 'odd'));
  await decide(world, 'odd', [{ offerId: 'x', code: 'X' }, listedTwice]);
  await world.aws.settle();
  expect(await world.stagedJson('odd', 'decision-rejected.json')).toMatchObject({
    problems: [{ path: '$.choices[0].code' }, { path: '$.choices[1].offerId' }],
  });
  await decide(world, 'odd', [other]);
  expect(await world.untilEnd('odd')).toMatchObject({ status: 'CLOSED' });
});

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

const told = listenToEvents(world);
/** The words of a name, each of which nothing but the order's record and its pages may hold. */
const NAME = ['Анна', 'Смирнова', '(می\u200cپذیرم)', 'a.smirnova@bank.example'];
const WRITTEN: Required<Written> = { decidedBy: NAME.join(' ') };
const namedIn = (text: string) => NAME.filter((word) => text.includes(word));
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

async function decided(orderRef: string) {
  const page = await world.stagedJson<{ decided?: Decided; choices: StagedChoice[] }>(orderRef, 'choices.json');
  const { decision } = (await world.record(orderRef)) ?? {};
  return { page: page.decided, record: decision?.decided };
}

test('a decision that says who made it is kept and shown with the name and its time; the name is nowhere else, and leaves with the record', async () => {
  const { choices } = await untilOffers(world, 'named');
  await world.put('named', 'decision.json', { choices: choices.slice(0, 1), ...WRITTEN });
  await world.untilEnd('named');
  const { page, record } = await decided('named');
  expect(page).toEqual({ how: 'person', at: TIME, file: expect.any(String), written: WRITTEN });
  expect(record).toEqual(page);

  const histories = await world.histories('named');
  const lines = (await world.items('named')).filter(({ item }) => item !== 'order');
  const reads = lines.flatMap(({ read }) => (typeof read === 'string' ? [restore(read)] : []));
  const others = JSON.stringify([histories, world.aws.logs(), told, lines, reads]);
  expect(reads.length).toBeGreaterThan(0);
  expect(others).toContain('OFFERS_AVAILABLE');
  expect(others).toContain('A decision arrived');
  expect(namedIn(others)).toEqual([]);

  expect(namedIn(await everythingOf(world, 'named'))).toEqual(NAME);
  world.clock.advanceTo(world.clock.now() + 400 * DAY);
  await runSweep(world);
  expect(await world.record('named')).toMatchObject({ removal: { record: { endedAt: TIME } } });
  expect(namedIn(await everythingOf(world, 'named'))).toEqual([]);
});

test("the rule's decision is shown as that of the rule, with its time", async () => {
  await world.submitToEnd('ruled', { offers: { choose: 'rule', rule: FIRST_TWO_AVAILABLE } });
  const { page, record } = await decided('ruled');
  expect(page).toEqual({ how: 'rule', at: TIME });
  expect(record).toEqual(page);
});
