import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FactsMessage, MadeEvidence, OfferFacts, OrderFacts, ServiceWords, Way } from '../../../console/api.ts';
import { loanOrders } from '../../helpers/command-line.ts';
import { answer, reading, removeFaults } from '../../helpers/faults.ts';
import { untilOffers } from '../../helpers/offers.ts';
import { liveMessages, next, openConsole, refusal } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { submitToSign } from '../../helpers/signatures.ts';
import { openFolder } from '../../helpers/signer-files.ts';

const world = await openWorld({ ordersGoOn: true });
const { get, post, read } = await openConsole(world);
const folder = openFolder();

const facts = (orderRef: string) => read<OrderFacts>(`/api/orders/${orderRef}`);

test('an order is shown with what the record and Step Functions know of it', async () => {
  await submit(world, 'whole');
  await world.untilEnd('whole');
  const shown = await facts('whole');
  expect(shown).toMatchObject({
    orderRef: 'whole',
    status: 'CLOSED',
    situation: 'over',
    decided: { how: 'rule', at: expect.any(String) },
    package: [{ file: 'documents/charter.pdf', docType: 'CHARTER' }],
    toSign: [{ round: 1, contentType: 'application/pdf', isChanged: false }],
    executions: [{ name: 'whole-1', status: 'SUCCEEDED' }],
  });
  expect(shown.executions[0]).not.toHaveProperty('address');
  expect(new Set(shown.operations.map(({ state }) => state))).toEqual(new Set(['done']));
  expect(shown.operations.find(({ name }) => name.startsWith('upload-document#1#'))).toMatchObject({
    file: 'documents/charter.pdf',
  });
  expect(shown.timeline.map(({ what }) => what)).toContain('Status CLOSED');
  expect(await read(`/api/orders/whole/snapshot`)).toMatchObject({ snapshot: { status: 'CLOSED' } });
});

test('the evidence of an order is written, taken once, and passes its check', async () => {
  const made = await post('/api/orders/whole/evidence', { unsigned: true });
  const { id, sha256, signed } = (await made.json()) as MadeEvidence;
  const taken = await get(`/api/orders/whole/evidence/${id}`);
  expect(taken.headers.get('content-disposition')).toContain('attachment');
  const archive = folder.write('whole.evidence.zip', Buffer.from(await taken.arrayBuffer()));
  expect(createHash('sha256').update(readFileSync(archive)).digest('hex')).toBe(sha256);
  expect(signed).toBe(false);
  expect(await loanOrders(['evidence', '--verify', archive])).toMatchObject({ code: 0 });
  expect((await refusal(await get(`/api/orders/whole/evidence/${id}`))).error).toContain('taken already');
  expect((await refusal(await post('/api/orders/nobody/evidence', { unsigned: true }))).error).toContain(
    'no order nobody',
  );
});

test('of archives that nobody takes, the console keeps four', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    const made = await post('/api/orders/whole/evidence', { unsigned: true });
    ids.push(((await made.json()) as MadeEvidence).id);
  }
  const statuses: number[] = [];
  for (const id of ids) statuses.push((await get(`/api/orders/whole/evidence/${id}`)).status);
  expect(statuses).toEqual([409, 200, 200, 200, 200]);
});

test('a page gets an order first, and then whenever it has changed', async () => {
  await submitToSign(world, 'live', { offers: { choose: 'manual' } });
  const live = liveMessages<FactsMessage<OrderFacts>>(await get('/api/orders/live/live'));
  const waitsFor = (what: string) => (message: FactsMessage<OrderFacts>) =>
    'facts' in message && message.facts.waitingFor === what;
  expect(waitsFor('signatures')(await next(live, () => true))).toBe(true);
  await world.until('live', ({ waitingFor }) => waitingFor === 'decision');
  await next(live, waitsFor('decision'));
  await live.return();
});

test('the way counts each state and step', async () => {
  const { start, states, steps, ...way } = await read<Way>('/api/orders/whole/way');
  expect({ start, ...way }).toMatchObject({
    start: 'Create order',
    executions: 1,
    leftOut: 0,
    present: { state: 'Closed', status: 'SUCCEEDED' },
  });
  const visits = Object.fromEntries(states.map((state) => [state.name, state.visits]));
  expect(visits).toMatchObject({ 'Create order': 1, 'Sign documents': 1, Closed: 1, 'Order failed': 0 });
  expect(visits['Read order']).toBeGreaterThan(3);
  const count = visits['Read order'];
  expect(steps).toContainEqual({ from: 'Read order', to: 'Order status', isFailure: false, count });
  // Every change of the state is a step of the state machine.
  const sum = (counts: number[]) => counts.reduce((one, other) => one + other);
  expect(sum(steps.map((step) => step.count))).toBe(sum(Object.values(visits)) - 1);
});

test('an order that does not exist, and a reference that is none, are refused in one sentence', async () => {
  expect(await refusal(await get('/api/orders/nobody'))).toEqual({
    status: 409,
    error: expect.stringContaining('There is no order nobody here'),
  });
  expect(await refusal(await get('/api/orders/..%2Fx'))).toEqual({ status: 409, error: '../x is not an orderRef.' });
});

describe('a decision', () => {
  test('is checked as confirm checks it, and confirmed', async () => {
    const { offers, choices } = await untilOffers(world, 'decided');
    const shown = await read<OfferFacts[]>('/api/orders/decided/offers');
    const takeable = shown.filter(({ isTakeable }) => isTakeable);
    expect(takeable.map(({ offerId, options }) => ({ offerId, codes: options.map(({ code }) => code) }))).toEqual(
      offers,
    );
    expect(takeable[0]?.members).toContainEqual(['bankName', 'First Bank']);
    expect(takeable[0]?.options[0]?.members).toContainEqual(['amount', 3_000_000]);
    const wrong = [{ offerId: offers[0]?.offerId, code: 'NONE' }];
    expect(await refusal(await post('/api/orders/decided/decision', { choices: wrong, seen: 0 }))).toEqual({
      status: 409,
      error: expect.stringContaining('Nothing was decided on order decided. Offer '),
    });
    const taken = await post('/api/orders/decided/decision', { choices: choices.slice(0, 2), seen: 0 });
    expect(await taken.json()).toEqual({ said: expect.stringContaining('Decided on order decided: ') });
    expect(await world.untilEnd('decided')).toMatchObject({ status: 'CLOSED' });
    expect(await facts('decided')).toMatchObject({
      decided: { how: 'person', written: { decidedBy: 'arn:aws:iam::000000000000:user/local' } },
      choices: choices.slice(0, 2).map((choice) => ({ ...choice, state: 'confirmed' })),
    });
  });

  test('may take no offer, and is refused once the order is over', async () => {
    await untilOffers(world, 'none');
    expect(await (await post('/api/orders/none/decision', { choices: [], seen: 0 })).json()).toEqual({
      said: expect.stringContaining('no offer is taken'),
    });
    await world.until('none', ({ waitingFor }) => waitingFor === 'service');
    expect(await facts('none')).toMatchObject({ none: true, decided: { how: 'person' } });
    expect(await refusal(await post('/api/orders/whole/decision', { choices: [], seen: 0 }))).toEqual({
      status: 409,
      error: expect.stringContaining('which is final'),
    });
  });
});

test('abort and retry do what the commands do, and say so', async () => {
  await submitToSign(world, 'stopped', { offers: { choose: 'manual' } });
  expect(await (await post('/api/orders/stopped/abort', {})).json()).toEqual({
    said: expect.stringMatching(/^Execution stopped-1 was stopped\./),
  });
  await world.aws.settle();
  expect(await facts('stopped')).toMatchObject({ situation: 'stopped', failure: { error: 'AbortedByOperator' } });
  expect(await refusal(await post('/api/orders/stopped/resolve', { orderId: null }))).toMatchObject({ status: 409 });
  expect(await (await post('/api/orders/stopped/retry', {})).json()).toEqual({
    said: expect.stringContaining('Execution stopped-2 was started'),
  });
  expect(await refusal(await post('/api/orders/whole/retry', {}))).toMatchObject({
    status: 409,
    error: expect.stringContaining('which is final'),
  });
  await world.until('stopped', ({ generation, waitingFor }) => generation === 2 && waitingFor === 'decision');
  expect(await read<Way>('/api/orders/stopped/way')).toMatchObject({ executions: 2 });
});

test("the service's words on a refusal are shown", async () => {
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call)) await answer(403)(call, request, reply);
  };
  await submit(world, 'refused');
  await world.untilEnd('refused');
  removeFaults(world.simulator);
  const { answers, issues } = await read<ServiceWords>('/api/orders/refused/words');
  expect(issues).toBeNull();
  expect(answers[0]).toMatchObject({
    name: expect.stringMatching(/^errors\/.*read-order\.json$/),
    answer: { httpStatus: 403, error: 'Rejected' },
  });
});

test('a request that the page never makes is refused', async () => {
  for (const body of [{}, { choices: [{ offerId: 1 }] }]) {
    expect((await post('/api/orders/whole/decision', body)).status).toBe(400);
  }
  expect(await refusal(await post('/api/orders/whole/decision', { choices: [], seen: 0, more: 1 }))).toEqual({
    status: 409,
    error: expect.stringContaining('$.more: "more" is not a known property.'),
  });
});
