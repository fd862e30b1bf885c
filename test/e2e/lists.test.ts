import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '../../commands/shared/connection.ts';
import { newestOfEach } from '../../commands/shared/record.ts';
import { OrdersFeed } from '../../console/server/orders-feed.ts';
import { inBatches } from '../../core/in-batches.ts';
import { changePause, commandsIn } from '../helpers/commands-in.ts';
import { openWorld } from '../helpers/open-world.ts';

const world = await openWorld({});
const { run } = commandsIn(world);
/** The output alone: standard error says that the stage is paused. */
const said = async (...args: string[]) => (await run(...args)).stdout;

/** By hand, the figures of docs/capacity.md: OPEN=10000 CLOSED=300000. */
const OPEN = Number(process.env.OPEN ?? 250);
const CLOSED = Number(process.env.CLOSED ?? 9_000);

const PARTIES = ['service', 'signatures', 'decision', 'operator'];
const AT = '2025-12-31T00:00:00.000Z';
const facts = { item: 'order', generation: 1, orderId: 'x'.repeat(36), documents: [], notBefore: {}, createdAt: AT };

const labels = { company: 'c'.repeat(40), inn: '7707083893', amount: 5_000_000, currency: 'RUB', bank: 'b'.repeat(40) };

function openOrder(number: number) {
  const waitingFor = PARTIES[number % 4];
  const changedAt = new Date(Date.UTC(2026, 2, 1) + number).toISOString();
  const whom = { waitingFor, openFor: waitingFor, listedUnder: waitingFor };
  return { ...facts, ...whom, orderRef: `open-${number}`, status: 'IN_WORK', changedAt, labels };
}

/** Ended in January, February or March. */
function closedOrder(number: number) {
  const changedAt = new Date(Date.UTC(2026, number % 3, 2) + number * 1000).toISOString();
  const whom = { waitingFor: 'nobody', openFor: 'files-to-remove', listedUnder: changedAt.slice(0, 7) };
  return { ...facts, ...whom, orderRef: `closed-${number}`, status: 'CLOSED', changedAt };
}

async function store(count: number, orderOf: (number: number) => object): Promise<void> {
  const starts = Array.from({ length: Math.ceil(count / 25) }, (_, at) => 25 * at);
  await inBatches(starts, (start) => {
    const numbers = Array.from({ length: Math.min(25, count - start) }, (_, at) => start + at);
    const puts = numbers.map((number) => ({ PutRequest: { Item: orderOf(number) } }));
    return world.dynamodb.send(new BatchWriteCommand({ RequestItems: { [world.outputs.OrderTable ?? '']: puts } }));
  });
}

/** How many requests read the table while this works. */
async function readsOf(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  world.wrappers.requestWrapper = async ({ operation }) => {
    if (/^(Query|Scan|GetItem|BatchGetItem)$/.test(operation)) count += 1;
    return undefined;
  };
  await work().finally(() => {
    world.wrappers.requestWrapper = undefined;
  });
  return count;
}

const connected = () => connect({ stage: 'local', local: true, endpoint: world.aws.endpoint });

async function lookAtPage(): Promise<void> {
  const { record } = await connected();
  const feed = new OrdersFeed({ record, options: [], lookEvery: 0 });
  await feed.since((await feed.since(0)).version);
}

const allReads = async () => ({
  list: await readsOf(() => said('list')),
  doctor: await readsOf(() => said('doctor')),
  replay: await readsOf(() => said('replay', '--all', '--since', '1d')),
  restored: await readsOf(() => said('restored', '--to', '2026-03-02T00:00:00Z', '--preview')),
  page: await readsOf(lookAtPage),
});

const listed = async (...args: string[]) =>
  JSON.parse(await said('list', '--json', ...args)).map(({ orderRef }: { orderRef: string }) => orderRef);

beforeAll(async () => {
  await changePause(world, 'pause');
  await store(OPEN, openOrder);
});

test('relist finds the orders of before, oldest and dismissed ones too, and doctor asks for it', async () => {
  const { listedUnder: _month, ...old } = {
    ...closedOrder(1),
    orderRef: 'a-old',
    changedAt: '2026-01-01T00:00:00.000Z',
  };
  const dismissed = { ...old, orderRef: 'a-dismissed', status: 'IN_WORK', dismissed: { at: old.changedAt, by: 'key' } };
  await store(2, (number) => (number === 0 ? old : dismissed));
  expect(await listed('--since', '2026-01')).not.toContain('a-old');
  expect(await said('doctor')).toContain('Orders that ended in an older release are in no list');
  expect(JSON.parse(await said('relist', '--json'))).toMatchObject({ listed: 2 });
  expect(await listed('--since', '2026-01')).toEqual(expect.arrayContaining(['a-old', 'a-dismissed']));
  expect(await said('doctor')).toMatch(/^ok {2}lists +Complete\.$/m);
});

test('list, doctor, replay, restored and the page read as often with many closed orders as with one, and list --since reads the months asked for', async () => {
  await store(3, closedOrder);
  const before = await allReads();
  await store(CLOSED, closedOrder);
  expect(await allReads()).toEqual(before);
  if (process.env.CLOSED) console.log(before);
  expect(await listed()).toHaveLength(OPEN + 100);
  expect(await listed('--waiting-for', 'nobody', '--since', '2026-03')).toHaveLength(CLOSED / 3);
}, 3_600_000);

test('list --csv quotes every cell, and no cell is a formula', async () => {
  const failure = { error: '=HYPERLINK("http://x"),1', cause: '', at: '' };
  const given = { company: '=1+1;=2;"=3', amount: 1234567.5, inn: { any: 'thing' } };
  const odd = { ...openOrder(3), orderRef: 'odd', failure, labels: given, statusSince: '2026-03-02' };
  await store(1, () => odd);
  const [head, line, ...others] = (await said('list', '--csv', '--failure', odd.failure.error)).split('\n');
  const labelled = '"company","inn","amount","currency","bank","createdAt","waitingSince","due","offered","taken"';
  expect(head).toBe(`"orderRef","status","waitingFor","orderId","generation","changedAt","failure",${labelled}`);
  const facts = `"odd","IN_WORK","operator","${odd.orderId}","1","${odd.changedAt}"`;
  const values = `"'=1+1;'=2;""'=3","","1234567.5","","","${AT}","2026-03-02","","",""`;
  expect(line).toBe(`${facts},"'=HYPERLINK(""http://x""),1",${values}`);
  expect(others).toEqual(['']);
});

const asked = { what: 'decision', round: 1, since: '2026-03-01T00:00:00.000Z' };
const named = {
  ...openOrder(2),
  orderRef: 'named',
  status: 'OFFERS_AVAILABLE',
  labels: {
    company: 'Trade \u001b[2J\u200bLLC',
    amount: 5_000_000,
    currency: 'RUB',
    bank: 'One, Two',
    office: 'North',
  },
  awaited: asked,
  due: '2026-03-31T00:00:00.000Z',
};

test.each(['named', 'of an older release'])(
  'an order %s is listed and shown by its labels and its due',
  async (kind) => {
    const { listedUnder: _key, ...older } = named;
    await store(1, () => (kind === 'named' ? named : older));
    expect(await said('list', '--status', 'OFFERS_AVAILABLE')).toMatch(
      /ORDER +COMPANY +SUM .*\nnamed +Trade %E2%80%8BLLC +5,000,000 RUB +decision /,
    );
    const { labels, due } = named;
    const view = { company: labels.company, amount: 5_000_000, currency: 'RUB', bank: 'One, Two', due };
    const [row] = JSON.parse(await said('list', '--json', '--waiting-for', 'decision', '--status', 'OFFERS_AVAILABLE'));
    expect(row).toMatchObject({ ...view, createdAt: AT, waitingSince: asked.since });
    const feed = new OrdersFeed({ record: (await connected()).record, options: [], lookEvery: 0 });
    expect((await feed.since(0)).rows).toContainEqual(expect.objectContaining(view));
  },
);

test('show has the labels and the due, and a month the last orders that ended in it', async () => {
  await store(1, () => ({ ...named, decision: { choices: [], none: false, version: 0 } }));
  expect(await said('show', 'named')).toMatch(
    /Due +2026-03-31 .*\n(.*\n)*Company +Trade %E2%80%8BLLC\n(.*\n)*Office +North\n/,
  );
  const shown = JSON.parse(await said('show', 'named', '--json'));
  expect(shown).toMatchObject({ labels: named.labels, due: named.due, waitingSince: asked.since });
  const ended = await (await connected()).record.ended('2026-03', 2);
  expect(ended.map(({ changedAt }) => changedAt.slice(0, 7))).toEqual(['2026-03', '2026-03']);
  expect(ended).toEqual(newestOfEach(ended));
});

test('restored finds an order that was dismissed long ago and may be brought back by its package alone', async () => {
  const { orderId: _id, ...gone } = { ...closedOrder(0), orderRef: 'gone', status: 'RECEIVED' };
  await store(1, () => gone);
  await world.put('gone', 'documents/charter.pdf', 'any bytes');
  await world.put('gone', 'order.json', '{}');
  const { unknown } = JSON.parse(await said('restored', '--to', '2026-03-02T00:00:00Z', '--preview', '--json'));
  expect(unknown).toEqual([{ orderRef: 'gone' }]);
});
