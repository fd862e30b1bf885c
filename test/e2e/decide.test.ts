import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import type { ShownOffers } from '../../console/api.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { commandsIn } from '../helpers/commands-in.ts';
import { answer, confirming, removeFaults, answer as respond } from '../helpers/faults.ts';
import { type Choice, changeRate, untilOffers } from '../helpers/offers.ts';
import { openConsole } from '../helpers/open-console.ts';
import { OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { openFolder } from '../helpers/signer-files.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 } });
const folder = openFolder();

const LOCAL = 'arn:aws:iam::000000000000:user/local';

interface StagedOffer {
  offerId: string;
  status: string;
}

const { refusal: refused, ...commands } = commandsIn(world);

async function done(...args: string[]): Promise<string> {
  const stdout = await commands.done(...args);
  await world.aws.settle();
  return stdout;
}

async function waiting(orderRef: string) {
  const { order, choices } = await untilOffers(world, orderRef);
  const staged = await world.stagedJson<StagedOffer[]>(orderRef, 'offers.json');
  const confirmed = () => order.confirmations.map(({ offerId, code }) => ({ offerId, code }));
  return { orderId: order.orderId, staged, choices: choices as [Choice, Choice, Choice], confirmed };
}

const optionsFor = ({ offerId, code }: Choice) => ['--offer', offerId, '--code', code];

test('offers shows the offers, and confirm takes two of them and a third one while the order is OFFERS_APPROVED', async () => {
  const { staged, choices, confirmed } = await waiting('decided');
  const [first, second, third] = choices;
  const table = await done('offers', 'decided');
  expect(table).toMatch(/^OFFER +STATUS +CODE +bankName +currency +amount +termMonths +rate +monthlyPayment\n/);
  expect(table).toContain(
    `${first.offerId}  AVAILABLE  FIRST-12   First Bank   RUB       3,000,000          12  19.5         277,186\n`,
  );
  expect(JSON.parse(await done('offers', 'decided', '--json'))).toEqual(staged);
  expect(await done('confirm', 'decided', ...optionsFor(first), ...optionsFor(second))).toContain(
    'Decided on order decided: ',
  );
  await world.until('decided', ({ status }) => status === 'OFFERS_APPROVED');
  const json = JSON.parse(await done('confirm', 'decided', ...optionsFor(third), '--json'));
  expect(json).toEqual({ orderRef: 'decided', choices: [third], decidedBy: LOCAL, leftOut: [] });
  expect(await world.untilEnd('decided')).toMatchObject({ status: 'CLOSED' });
  expect(confirmed()).toEqual([first, second, third]);
  const entries = (await world.items('decided')).filter(({ item }) => item.startsWith('operation#confirm#'));
  expect(entries).toMatchObject(Array(3).fill({ state: 'done', attempts: 1 }));
  const shown = await done('show', 'decided');
  expect(shown).toMatch(
    /^Choices\n {2}Decided at [\d-]+ [\d:]+Z by a person\. Decided by: arn:\S+\/local\.\n {2}OFFER +CODE +STATE\n( {2}\S+ +\S+ +confirmed\n){3}/m,
  );
  expect(await done('offers', 'decided')).toMatch(
    /\n\nDecided at [\d-]+ [\d:]+Z by a person\. Decided by: arn:\S+\/local\.\n$/,
  );
  const { decided } = JSON.parse(await done('show', 'decided', '--json'));
  expect(decided).toEqual({
    how: 'person',
    at: expect.any(String),
    file: expect.any(String),
    written: { decidedBy: LOCAL },
  });
  expect(await refused('confirm', 'decided', '--none')).toContain('Order decided is CLOSED, which is final');
});

test('confirm --none ends the wait, and confirm --file decides as the file says, under the name that it gives', async () => {
  const { choices, confirmed } = await waiting('none');
  expect(await done('confirm', 'none', '--none')).toContain('no offer is taken');
  await world.until('none', ({ waitingFor }) => waitingFor === 'service');
  expect(await done('show', 'none')).toContain('\n  No offer is taken.\n');
  expect(JSON.parse(await done('show', 'none', '--json'))).toMatchObject({ none: true, decisions: 1, choices: [] });
  const named = folder.write('named.json', JSON.stringify({ choices: [], decidedBy: 'Анна Смирнова' }));
  expect(await done('confirm', 'none', '--file', named)).toContain('Decided by: Анна Смирнова.\n');
  expect(await done('show', 'none')).toMatch(/ {2}Decided at \S+ \S+Z by a person\. Decided by: Анна Смирнова\.\n/);
  const file = folder.write('решение.json', `\ufeff${JSON.stringify({ choices: choices.slice(0, 1) })}`);
  await done('confirm', 'none', '--file', file);
  await world.untilEnd('none');
  expect(await done('show', 'none')).toContain(`Z by a person. Decided by: ${LOCAL}.\n`);
  expect(confirmed()).toEqual(choices.slice(0, 1));
});

test('a refused confirm leaves the other offer, and the same decision again says what became of the first', async () => {
  const { choices, orderId, confirmed } = await waiting('followed');
  const [first, second] = choices;
  const both = [...optionsFor(first), ...optionsFor(second)];
  let confirms = 0;
  world.simulator.hooks.before = async (call, request, reply) => {
    if (!confirming(call) || call.orderId !== orderId) return;
    confirms += 1;
    if (confirms === 2) await respond(422, {})(call, request, reply);
  };
  const decided = await done('confirm', 'followed', ...both);
  expect(decided).toContain(
    '  bankName First Bank, currency RUB\n  amount 3,000,000, termMonths 12, rate 19.5, monthlyPayment 277,186\n',
  );
  await world.untilEnd('followed');
  expect(JSON.parse(await done('show', 'followed', '--json')).choices).toEqual([
    { ...first, state: 'confirmed' },
    expect.objectContaining({ ...second, state: 'refused' }),
  ]);
  const changed = await done('confirm', 'followed', ...optionsFor(first));
  expect(changed).toContain('Decided on order followed: ');
  expect(changed).toContain('The order had a decision before. Decided at ');
  expect(changed).toContain(`No longer chosen, and not yet confirmed: ${second.offerId}.`);
  expect(await done('confirm', 'followed', ...optionsFor(first))).toMatch(
    /^Order followed has this very decision already: nothing was uploaded again\. Decided at .+: confirmed\.\n$/,
  );
  const rejected = folder.write('twice.json', JSON.stringify({ choices: [{ ...second, code: 'NOWHERE' }] }));
  expect(await refused('confirm', 'followed', '--file', rejected)).toContain(
    `Offer ${second.offerId} (bankName Third Bank, currency RUB), code NOWHERE`,
  );
  await done('retry', 'followed');
  expect(await world.untilEnd('followed')).toMatchObject({ status: 'CLOSED' });
  expect(confirmed()).toEqual([first]);
});

test('confirm and offers refuse orders, offers, codes and files that do not exist, and upload nothing', async () => {
  await waiting('wrong');
  const confirm = (...args: string[]) => refused('confirm', 'wrong', ...args);
  expect(await confirm('--offer', 'nobody', '--code', 'X')).toContain(
    'Offer nobody, code X: The order does not have this offer.',
  );
  expect(await confirm('--file', folder.path('nowhere'))).toContain('does not exist: nothing was done.');
  expect(await confirm('--file', folder.write('bad.json', '{"choices":[{"offerId":1}]}'))).toMatch(
    /is not a decision: nothing was decided\. \$\.choices\[0\]\.offerId: .*\$\.choices\[0\]\.code: /,
  );
  expect(await confirm('--file', folder.write('huge.json', ' '.repeat(1024 * 1024 + 1)))).toContain('is larger than');
  expect(await refused('confirm', 'nobody', '--none')).toContain('There is no order nobody here');
  expect(await refused('offers', 'nobody')).toContain('Order nobody has no offers in staging');
  await world.submitUntil('early', ({ status }) => status === 'IN_WORK');
  expect(await refused('confirm', 'early', '--none')).toContain('has no offers yet');
  expect(await world.staged('wrong', 'decision-rejected.json')).toBeUndefined();
  expect(await world.record('wrong')).toMatchObject({ waitingFor: 'decision' });
});

test('rule --test prints the same choices or the same reason as the workflow', async () => {
  const limited = `(offers[status='AVAILABLE'].creditOptions[amount <= $$.order.amount].{ 'offerId': %.offerId, 'code': code })[0]`;
  const tried: [string, string, number][] = [
    ['sees-the-order', limited, 0],
    ['refused', "offers[status='REFUSED'].{ 'offerId': offerId, 'code': 'X' }", 3],
  ];
  for (const [name, rule, exitCode] of tried) {
    const orderRef = `rule-${name}`;
    await world.submit(orderRef, { offers: { choose: 'rule', rule } });
    await world.until(orderRef, ({ status, waitingFor }) => status === 'OFFERS_APPROVED' || waitingFor === 'decision');
    const page = await world.stagedJson<{ reason?: string; choices: Choice[] }>(orderRef, 'choices.json');
    if (page.reason) expect(await done('show', orderRef)).toContain(`\n  A human must choose. ${page.reason}\n`);
    const decided = page.reason
      ? { reason: page.reason }
      : { choices: page.choices.map(({ offerId, code }) => ({ offerId, code })) };
    const offers = (await world.stagedJson<StagedOffer[]>(orderRef, 'offers.json')).map((offer) =>
      String(offer.status) === 'CONFIRMED' ? { ...offer, status: 'AVAILABLE' } : offer,
    );
    const test = [
      'rule',
      '--test',
      folder.write('rule.jsonata', rule),
      folder.write('offers.json', JSON.stringify(offers)),
    ];
    const order = ['--order', folder.write('order.json', JSON.stringify({ order: { amount: 5_000_000 } }))];
    const json = await loanOrders([...test, ...order, '--json']);
    expect({ code: json.code, outcome: JSON.parse(json.stdout) }).toMatchObject({ code: exitCode, outcome: decided });
  }
});

const { post, read } = await openConsole(world);
const putsDecision = ({ service, operation, path }: AwsRequest) =>
  service === 'S3' && operation === 'PUT' && path.includes('decision.json');

async function decideInPage(orderRef: string, choice: unknown, decisions: number): Promise<Response> {
  return decideSeen(orderRef, choice, { decisions, offers: await versionShown(orderRef) });
}

const decideSeen = (orderRef: string, choice: unknown, seen: object) =>
  post(`/api/orders/${orderRef}/decision`, { choices: [choice], seen });

const versionShown = async (orderRef: string) => (await read<ShownOffers>(`/api/orders/${orderRef}/offers`)).version;

const decisionLines = async (orderRef: string) =>
  (await world.told(orderRef)).map(({ what }) => String(what)).filter((what) => what.startsWith('A decision'));

test('of two people who decide at the same moment, one decides, and the other is told who decided what', async () => {
  const { choices, order } = await untilOffers(world, 'at-once');
  const [first, second] = choices;
  const both = Promise.withResolvers<void>();
  let uploads = 0;
  world.wrappers.requestWrapper = async (request) => {
    if (!putsDecision(request)) return undefined;
    if (++uploads === 2) both.resolve();
    await both.promise;
    return undefined;
  };
  const decide = (name: string, choice: unknown) => {
    const file = folder.write(`${name}.json`, JSON.stringify({ choices: [choice], decidedBy: name }));
    return loanOrders(['--endpoint', world.aws.endpoint, 'confirm', 'at-once', '--file', file]);
  };
  const outcomes = await Promise.all([decide('Anna', first), decide('Boris', second)]);
  const [winner, loser] = outcomes[0]?.code === 0 ? ['Anna', 1] : ['Boris', 0];
  expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(outcomes[loser as number]?.stderr).toMatch(
    new RegExp(
      `^Somebody decided on order at-once a moment ago: .* That decision takes [^ ]+ \\(.*Decided by: ${winner}\\.`,
    ),
  );
  await world.untilEnd('at-once');
  const taken = winner === 'Anna' ? first : second;
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual([taken?.offerId]);
  expect(await decisionLines('at-once')).toEqual(['A decision arrived']);
});

test('repeating an upload whose answer was lost is no second decision, and a page that has not shown it does not replace it', async () => {
  const { choices } = await untilOffers(world, 'lost-answer');
  const [first, second] = choices;
  let isLost = false;
  world.wrappers.requestWrapper = async (request, serve) => {
    if (isLost || !putsDecision(request)) return undefined;
    isLost = true;
    await serve();
    return { status: 503, code: 'SlowDown' };
  };
  const response = await decideInPage('lost-answer', first, 0);
  expect({ status: response.status, isLost }).toEqual({ status: 200, isLost: true });
  await world.aws.settle();
  const again = await decideInPage('lost-answer', first, 0);
  expect(again.status).toBe(200);
  const refused = await decideInPage('lost-answer', second, 0);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toEqual({
    error: expect.stringMatching(/^Somebody decided on order lost-answer .*user\/local\. It takes these offers: /),
    difference: { decided: { choices: [first], decidedBy: expect.stringMatching(/user\/local$/) }, offers: [] },
  });
  expect(await world.record('lost-answer')).toMatchObject({ decision: { version: 1 } });
  expect(await decisionLines('lost-answer')).toEqual(['A decision arrived']);
});

test('a decision that closed the order, and whose answer was lost, is not said to be too late', async () => {
  const { choices } = await untilOffers(world, 'closed');
  const [first, second] = choices;
  const seen = { decisions: 0, offers: await versionShown('closed') };
  expect((await decideSeen('closed', first, seen)).status).toBe(200);
  await world.untilEnd('closed');
  const again = await decideSeen('closed', first, seen);
  expect({ status: again.status, ...((await again.json()) as object) }).toEqual({
    status: 200,
    said: expect.stringMatching(/^Order closed has this very decision already: .* confirmed\.$/),
  });
  for (const [choice, decisions] of [
    [second, 0],
    [first, 1],
  ] as const)
    expect((await decideSeen('closed', choice, { ...seen, decisions })).status).toBe(409);
});

test('the decision that a bank refused is not said to be made again when its offer has changed', async () => {
  const { choices } = await untilOffers(world, 'refused');
  world.simulator.hooks.before = async (call, request, reply) => {
    if (confirming(call)) await answer(422, {})(call, request, reply);
  };
  expect((await decideInPage('refused', choices[0], 0)).status).toBe(200);
  await world.until('refused', ({ waitingFor, decision }) => waitingFor === 'decision' && decision.version === 1);
  removeFaults(world.simulator);
  const seen = { decisions: 1, offers: await versionShown('refused') };
  const offers = await world.stagedJson<object[]>('refused', 'offers.json');
  await world.stage('refused', 'offers.json', JSON.stringify(offers).replace('19.5', '21.5'));
  const refused = await decideSeen('refused', choices[0], seen);
  expect({ status: refused.status, ...((await refused.json()) as object) }).toMatchObject({
    status: 409,
    difference: { offers: [{ what: 'changed', changed: [{ path: 'rate', before: 19.5, after: 21.5 }] }] },
  });
});

test('a rejected decision with the same words is not taken for the lost one', async () => {
  const { order, choices } = await untilOffers(world, 'rejected');
  const seen = { decisions: 0, offers: await versionShown('rejected') };
  const [offer] = order.offers;
  const decidedBy = 'arn:aws:iam::000000000000:user/local';
  const text = `${JSON.stringify({ choices: [choices[0]], decidedBy }, undefined, 2)}\n`;
  if (offer) offer.status = 'EXPIRED';
  await changeRate(world, 'rejected', order, 21.5);
  await world.putAndSettle('rejected', 'decision.json', text);
  expect(await world.stagedKeys('rejected')).toContain('decision-rejected.json');
  expect((await decideSeen('rejected', choices[0], seen)).status).toBe(409);
});

test('a change of an offer that is not chosen does not stop a decision, and a new offer stops it once', async () => {
  const { order, choices } = await untilOffers(world, 'others');
  const first = { decisions: 0, offers: await versionShown('others') };
  const [offer] = order.offers;
  if (offer) order.offers.push({ ...offer, offerId: 'later', bankName: 'Later Bank' });
  await changeRate(world, 'others', order, 21.5);
  const refused = await decideSeen('others', choices[1], first);
  expect(refused.status).toBe(409);
  expect((await refused.json()) as object).toMatchObject({
    difference: { offers: [{ what: 'changed' }, { what: 'new', offer: { offerId: 'later' } }] },
  });
  const second = { decisions: 0, offers: await versionShown('others') };
  await changeRate(world, 'others', order, 22.5);
  expect((await decideSeen('others', choices[1], second)).status).toBe(200);
});

test('offers of any size and with any members can be decided on', async () => {
  const { choices } = await untilOffers(world, 'large');
  const [first, ...others] = await world.stagedJson<object[]>('large', 'offers.json');
  const odd = `{"__proto__": 1, "debt": -0.0, "most": 1e400, "text": "${'a'.repeat(3 << 20)}",`;
  const Body = JSON.stringify([first, ...others]).replace('{', odd);
  await world.stage('large', 'offers.json', Body);
  const seen = { decisions: 0, offers: await versionShown('large') };
  await world.stage('large', 'offers.json', Body);
  expect((await decideSeen('large', choices[0], seen)).status).toBe(200);
});
