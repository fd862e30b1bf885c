import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type {
  EndedOrders,
  MadeEvidence,
  OrderFacts,
  OrdersMessage,
  ShownOffers,
  StageFacts,
  TechnicalFacts,
} from '../../../console/api.ts';
import { answer, reading, removeFaults } from '../../helpers/faults.ts';
import { untilOffers } from '../../helpers/offers.ts';
import { done, openConsole, refused } from '../../helpers/open-console.ts';
import { MAIN_PATH, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { openFolder, run } from '../../helpers/signer-files.ts';

const world = await openWorld({ settings: MAIN_PATH, ordersGoOn: true });
const { get, read, ask } = await openConsole(world);
const folder = openFolder();

const facts = (orderRef: string) => read<OrderFacts>(`/api/orders/${orderRef}`);

beforeAll(async () => {
  await world.submitToEnd('whole');
  // The orders to come ask for less.
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
});

test('a page gets all orders first, and then only what changed', async () => {
  await world.submitToSign('goes-on', { offers: { choose: 'manual' } });
  const ordersAfter = (version: number) => read<OrdersMessage>(`/api/orders?after=${version}`);
  const { version, isWhole, rows } = await ordersAfter(0);
  expect(isWhole).toBe(true);
  const listed = rows.filter(({ orderRef }) => ['whole', 'goes-on'].includes(orderRef));
  expect(listed.map(({ orderRef, status, waitingFor }) => [orderRef, status, waitingFor]).sort()).toEqual([
    ['goes-on', 'WAITING_FOR_SIGNATURE', 'signatures'],
    ['whole', 'CLOSED', 'nobody'],
  ]);
  expect(listed.find(({ orderRef }) => orderRef === 'goes-on')?.oldFrom).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(listed.find(({ orderRef }) => orderRef === 'whole')?.oldFrom).toBeUndefined();
  await world.until('goes-on', ({ waitingFor }) => waitingFor === 'decision');
  await expect
    .poll(async () => (await ordersAfter(version)).rows.map(({ orderRef, waitingFor }) => [orderRef, waitingFor]))
    .toEqual([['goes-on', 'decision']]);
  expect(await ordersAfter(0)).toMatchObject({ isWhole: true });
});

test('the orders that ended in a month are listed, and no other month is asked for', async () => {
  const month = (await world.record('whole'))?.changedAt.slice(0, 7);
  const { rows, isCut } = await read<EndedOrders>(`/api/ended?month=${month}`);
  expect([rows.map(({ orderRef }) => orderRef), isCut]).toEqual([['whole'], false]);
  expect(await read('/api/ended?month=1999-12')).toEqual({ rows: [], isCut: false });
  expect(await ask('/api/ended?month=service')).toMatchObject({ status: 400 });
});

test('an answer that the page has is not sent again', async () => {
  const path = '/api/orders/whole';
  const tag = (await get(path)).headers.get('etag') ?? '';
  const again = await get(path, { 'if-none-match': tag });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect((await get('/api/stage', { 'if-none-match': tag })).status).toBe(200);
});

test('the page is told which stage it shows', async () => {
  const where = `the laptop's AWS at ${world.aws.endpoint}`;
  const options = `--endpoint ${world.aws.endpoint}`;
  const told = { stage: 'local', local: true, lookEvery: 20, options, rejected: 0, where };
  expect(await read<StageFacts>('/api/stage')).toEqual(told);
});

test('an order is shown with what the record and Step Functions know of it', async () => {
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
  const upload = shown.operations.find(({ name }) => name.startsWith('upload-document#1#'));
  expect(upload).toMatchObject({ file: 'documents/charter.pdf' });
  expect(shown.timeline.map(({ what }) => what)).toContain('Status CLOSED');
  const { text, snapshot } = await read<TechnicalFacts>('/api/orders/whole/show');
  expect(text).toMatch(/^Order +whole\n.*\nOperations\n.*\nTimeline\n/s);
  expect(snapshot).toMatchObject({ status: 'CLOSED' });
});

test('the evidence of an order is written, and taken once', async () => {
  const { id, sha256, signed } = await ask<MadeEvidence>('/api/orders/whole/evidence', { unsigned: true });
  const taken = await get(`/api/orders/whole/evidence/${id}`);
  expect(taken.headers.get('content-disposition')).toContain('attachment');
  const bytes = Buffer.from(await taken.arrayBuffer());
  expect({ signed, sha256 }).toEqual({ signed: false, sha256: createHash('sha256').update(bytes).digest('hex') });
  await run('unzip', ['-tq', folder.write('whole.evidence.zip', bytes)]);
  expect(await ask(`/api/orders/whole/evidence/${id}`)).toEqual({ ...refused('taken already'), code: 'archiveGone' });
  expect(await ask('/api/orders/nobody/evidence', { unsigned: true })).toMatchObject({
    ...refused('no order nobody'),
    code: 'noOrderHere',
  });
});

test('of archives that nobody takes, the console keeps four', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1)
    ids.push((await ask<MadeEvidence>('/api/orders/whole/evidence', { unsigned: true })).id);
  for (const [at, id] of ids.entries())
    expect((await get(`/api/orders/whole/evidence/${id}`)).status).toBe(at === 0 ? 409 : 200);
});

async function decide(orderRef: string, body: object) {
  const { version } = await read<ShownOffers>(`/api/orders/${orderRef}/offers`);
  return ask(`/api/orders/${orderRef}/decision`, { seen: { decisions: 0, offers: version }, ...body });
}

test('a decision is checked as confirm checks it, confirmed, and refused once the order is over', async () => {
  const { offers, choices } = await untilOffers(world, 'decided');
  const { offers: shown } = await read<ShownOffers>('/api/orders/decided/offers');
  const takeable = shown.filter(({ isTakeable }) => isTakeable);
  expect(takeable.map(({ offerId, options }) => ({ offerId, codes: options.map(({ code }) => code) }))).toEqual(offers);
  expect(takeable[0]?.options[0]?.terms).toMatchObject({ bank: 'First Bank', amount: 3_000_000, total: 3_326_232 });
  const wrong = [{ offerId: offers[0]?.offerId, code: 'NONE' }];
  const nothing = 'Nothing was decided on order decided. Offer ';
  expect(await decide('decided', { choices: wrong })).toEqual(refused(nothing));
  expect(await decide('decided', { choices: [], more: 1 })).toEqual(refused('$.more: It is not a known property.'));
  for (const body of [{}, { choices: [{ offerId: 1 }] }])
    expect(await ask('/api/orders/decided/decision', body)).toMatchObject({ status: 400 });
  expect(await decide('decided', { choices: choices.slice(0, 2) })).toEqual(done('Decided on order decided: '));
  expect(await world.untilEnd('decided')).toMatchObject({ status: 'CLOSED' });
  expect(await facts('decided')).toMatchObject({
    decided: { how: 'person', written: { decidedBy: 'arn:aws:iam::000000000000:user/local' } },
    choices: choices.slice(0, 2).map((choice) => ({ ...choice, state: 'confirmed' })),
  });
  expect(await decide('decided', { choices: [] })).toMatchObject(refused('which is final'));
});

test('abort and retry do what the commands do, and say so', async () => {
  await world.submitToSign('stopped', { offers: { choose: 'manual' } });
  expect(await ask('/api/orders/stopped/abort', {})).toEqual(done('Execution stopped-1 was stopped.'));
  await world.aws.settle();
  const retry = { command: `loan-orders --endpoint ${world.aws.endpoint} retry stopped` };
  expect(await facts('stopped')).toMatchObject({
    situation: 'stopped',
    failure: { error: 'AbortedByOperator' },
    advice: retry,
    russianAdvice: retry,
  });
  expect(await ask('/api/orders/stopped/resolve', { orderId: null })).toEqual(refused('stopped'));
  expect(await ask('/api/orders/stopped/retry', {})).toEqual(done('Execution stopped-2 was started'));
  expect(await ask('/api/orders/whole/retry', {})).toEqual(refused('which is final'));
  await world.until('stopped', ({ generation, waitingFor }) => generation === 2 && waitingFor === 'decision');
});

test("the service's words on a refusal are shown", async () => {
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call)) await answer(403)(call, request, reply);
  };
  await world.submitToEnd('refused');
  removeFaults(world.simulator);
  const { text } = await read<TechnicalFacts>('/api/orders/refused/show');
  expect(text).toMatch(/^The order service's words\n.*Rejected.*httpStatus 403/m);
  expect(await read('/api/orders/refused/issues')).toEqual({ issues: null, free: 'refused-2' });
});
