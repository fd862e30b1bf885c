import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemContext } from '@business-loan-orders/embedded-aws';
import { beforeAll, expect, test } from 'vitest';
import type { OrderItem } from '../../core/order/order-item.ts';
import { OPERATOR_ATTRIBUTES } from '../../infra/order/operator-record.ts';
import { commandsIn, outputOf } from '../helpers/commands-in.ts';
import { answer, confirming, creating, inject, loseAnswer, uploading } from '../helpers/faults.ts';
import { decide, untilOffers } from '../helpers/offers.ts';
import { NO_SIGNATURES, OFFERS_AT_ONCE, openWorld, runSweep } from '../helpers/open-world.ts';
import { versionsOf } from '../helpers/stored-bytes.ts';
import { DAY } from '../helpers/world.ts';

/** The attributes of orders that the operator's commands have changed, or looked at while they changed others. */
const used = new Set<string>();
const world = await openWorld({
  settings: OFFERS_AT_ONCE,
  ordersGoOn: true,
  requestWrapper: async ({ accessKeyId, operation, body }) => {
    if (accessKeyId !== 'operator' || operation !== 'UpdateItem') return undefined;
    const input = JSON.parse(body);
    const names = input.Key.orderRef.S.startsWith('#') ? [] : itemContext(input)['dynamodb:Attributes'];
    for (const name of names ?? []) used.add(name);
    return undefined;
  },
});
world.aws.addPerson('operator', world.outputs.OperatorPolicy ?? '');
const settings = { ...world.aws.clientSettings, credentials: { accessKeyId: 'operator', secretAccessKey: 'any' } };
const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
const TableName = world.outputs.OrderTable;

const done = async (...args: string[]) => outputOf(await commandsIn(world).as('operator', ...args));

async function stopped(orderRef: string) {
  await world.submitUntil(orderRef, ({ waitingFor }) => waitingFor === 'decision', { offers: { choose: 'manual' } });
  await done('abort', orderRef);
  return world.untilEnd(orderRef);
}

async function retried(orderRef: string): Promise<void> {
  await done('retry', orderRef);
  await world.aws.settle();
}

const orderRef = 'attacked';
let before: OrderItem;
beforeAll(async () => {
  before = await stopped(orderRef);
});

const Key = { orderRef, item: 'order' };
const choices = [{ offerId: 'any', code: 'FIRST-12' }];

const write = (key: { orderRef: string; item: string }, name: string, value: unknown) =>
  new UpdateCommand({
    TableName,
    Key: key,
    UpdateExpression: value === undefined ? `REMOVE ${name}` : `SET ${name} = :value`,
    ExpressionAttributeNames: Object.fromEntries(name.split('.').map((part) => [part, part.slice(1)])),
    ...(value !== undefined && { ExpressionAttributeValues: { ':value': value } }),
  });

test.each<[string, UpdateCommand | PutCommand | DeleteCommand]>([
  ['a decision put into the record', write(Key, '#decision', { version: 1, choices })],
  ['a decision put into a part of the record', write(Key, '#decision.#choices', choices)],
  ['a new record', new PutCommand({ TableName, Item: { ...Key, status: 'OFFERS_AVAILABLE' } })],
  ['the record removed', new DeleteCommand({ TableName, Key })],
  ['a restored table declared ready', write({ orderRef: '#stage', item: 'restored' }, '#table', TableName)],
  [
    'an orderId given away',
    new PutCommand({ TableName, Item: { orderRef: '#orderId/x', item: 'holder', holder: 'x' } }),
  ],
])('the rights of an operator do not allow %s', async (_what, attack) => {
  await expect(dynamodb.send(attack as UpdateCommand)).rejects.toMatchObject({ name: 'AccessDeniedException' });
  expect(await world.record(orderRef)).toEqual(before);
});

async function overwrite(orderRef: string, item: string, values: object): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const written = dynamodb.send(write({ orderRef, item }, `#${name}`, value));
    await written.catch((error) => expect(error.name).toMatch(/AccessDenied|Validation/));
  }
}

const OVER = {
  changedAt: '2020-01-01T00:00:00.000Z',
  openFor: 'files-to-remove',
  waitingFor: 'nobody',
  dismissed: { at: '2020-01-01T00:00:00.000Z', by: 'retention' },
};

test.each([
  ['that was dismissed', { ...OVER, failure: { error: 'DismissedByOperator', cause: '', at: OVER.changedAt } }],
  [
    'of which only the record is left',
    { ...OVER, openFor: 'record-to-reduce', removal: { files: { count: 1, endedAt: '2020' } } },
  ],
])('an order that an operator marks as one %s long ago is kept as long as any other', async (_like, values) => {
  const marked = `marked-${values.openFor}`;
  await stopped(marked);
  // Nothing of it was written for years.
  world.clock.advanceTo(world.clock.now() + 1000 * DAY);
  const files = await versionsOf(world, marked);
  await overwrite(marked, 'order', values);
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    await runSweep(world);
    expect(await versionsOf(world, marked)).toEqual(expect.arrayContaining(files));
    world.clock.advanceTo(world.clock.now() + 40 * DAY);
  }
  expect(await world.told(marked)).not.toContainEqual(expect.objectContaining({ by: 'retention' }));
  expect(await world.stagedJson(marked, 'status.json')).toMatchObject({ waitingFor: 'nobody' });
  await runSweep(world);
  expect(await versionsOf(world, marked)).toMatchObject([{ file: 'erased.json' }]);
});

test('an order that an operator brings back without a retry is not removed, and waits for an operator', async () => {
  await stopped('brought');
  await done('dismiss', 'brought', '--reason', 'Trial');
  await runSweep(world);
  await overwrite('brought', 'order', { dismissed: undefined });
  world.clock.advanceTo(world.clock.now() + 100 * DAY);
  expect(await runSweep(world)).toMatchObject({ emptied: 0, notRemoved: 0 });
  expect(await world.record('brought')).toMatchObject({ openFor: 'operator' });
});

test('an order keeps its orderId, is created once, and every choice is confirmed, whatever operators write', async () => {
  const { orderId: taken } = await stopped('other');
  const { order, choices } = await untilOffers(world, 'moved');
  const { orderId } = order;
  const [{ offerId = '' } = {}] = choices;
  await done('abort', 'moved');
  await world.untilEnd('moved');
  const created = world.simulator.orders().length;
  await overwrite('moved', 'order', { orderId: taken });
  await overwrite(`#orderId/${taken}`, 'holder', { holder: 'moved' });
  const sent = { state: 'done', outcome: { orderId: taken, status: 'ACCEPTED' }, attempts: 1, at: before.changedAt };
  await overwrite('moved', 'operation#create', { ...sent, said: sent });
  const none = { ...sent, state: 'none' };
  await overwrite('moved', 'operation#create', { ...none, outcome: undefined, said: none });
  await overwrite('moved', `operation#confirm#${offerId}`, { ...sent, said: sent });
  await retried('moved');
  await world.until('moved', ({ waitingFor }) => waitingFor === 'decision');
  await decide(world, 'moved', choices.slice(0, 1));
  expect(await world.untilEnd('moved')).toMatchObject({ status: 'CLOSED', orderId });
  expect(world.simulator.orders()).toHaveLength(created);
  expect((await world.calls('moved')).filter(confirming)).toHaveLength(1);
});

test('an order whose execution dies is started again, although an operator wrote that it had failed', async () => {
  await world.submitUntil('hidden', ({ waitingFor }) => waitingFor === 'decision', { offers: { choose: 'manual' } });
  const failure = { error: 'Rejected', cause: 'seen', at: '2999-01-01T00:00:00.000Z' };
  await overwrite('hidden', 'order', { failure, resume: undefined, openFor: undefined, changedAt: undefined });
  await world.abort('hidden');
  await world.aws.settle();
  world.clock.advanceTo(world.clock.now() + DAY);
  expect(await runSweep(world)).toMatchObject({ resumed: 1 });
  await world.until('hidden', ({ generation, waitingFor }) => generation === 2 && waitingFor === 'decision');
});

test('a record that an operator began neither starts an order without a checked package, nor keeps one from starting', async () => {
  await overwrite('begun', 'order', { generation: 1, said: 'x', at: before.changedAt });
  await world.putAndSettle('begun', 'order.json', '{"orderRef":"begun","order":{}}');
  expect(await world.executions('begun')).toEqual([]);
  await world.submitUntil('begun', ({ waitingFor }) => waitingFor === 'decision', { offers: { choose: 'manual' } });
});

test.each(['x', -1, { x: 1 }])(
  'the sweep and the lists go on although an operator writes %j everywhere',
  async (value) => {
    const odd = `odd-${typeof value}`;
    await stopped(odd);
    const names = [...OPERATOR_ATTRIBUTES, 'unsent', 'unsentEvents'].filter((name) => !name.includes(' '));
    const values = Object.fromEntries(names.map((name) => [name, value]));
    for (const item of ['order', 'operation#create', 'operation#confirm#x', 'callback#decision#x', 'to-sign#1#x'])
      await overwrite(odd, item, values);
    await overwrite('#outbox', 'x', { ...values, unsent: 'events', unsentSince: before.changedAt });
    await runSweep(world);
    expect(await done('list')).toContain(odd);
  },
);

test('the operator may change those attributes of orders that the commands change, and no others', async () => {
  used.clear();
  await done('pause', '--reason', 'Trial');
  await done('resume');
  // The creation: corrected, and never made.
  inject(world.simulator, 'after', creating, loseAnswer);
  await world.submitToEnd('mistyped');
  await done('resolve', 'mistyped', '--order-id', 'no-such-order');
  await retried('mistyped');
  const { orderId, failure } = await world.until('mistyped', (order) => order.failure !== undefined);
  expect([orderId, failure?.error]).toEqual(['no-such-order', 'NoUsableAnswer']);
  await done('resolve', 'mistyped', '--none', '--yes');
  // The bank's word on a confirm.
  const [choice = expect.fail()] = (await untilOffers(world, 'asked')).choices;
  inject(world.simulator, 'before', confirming, answer(503));
  await decide(world, 'asked', [choice]);
  await world.aws.settle();
  await done('resolve', 'asked', '--offer', choice.offerId, '--not-confirmed');
  expect(await done('show', 'asked')).toContain(`not confirmed, offer ${choice.offerId}`);
  // The service's word on an upload.
  world.simulator.settings.outcomes = NO_SIGNATURES.outcomes;
  inject(world.simulator, 'after', uploading, loseAnswer);
  let uploads = 0;
  world.simulator.hooks.before = async (call, request, reply) => {
    if (uploading(call) && uploads++ > 0) await answer(409)(call, request, reply);
  };
  await world.submitToEnd('sent');
  await done('resolve', 'sent', '--upload', '1', '--done');
  // A dismissal of an order whose last execution never claimed it, and back again.
  inject(world.simulator, 'before', creating, answer(400));
  await world.submitToEnd('refused');
  await world.startUnclaimed('refused');
  await done('dismiss', 'refused', '--reason', 'Trial');
  await retried('refused');
  // Waits that the order service asked for, in a pause.
  await stopped('asleep');
  const wait = { readAt: '2999-01-01T00:00:00.000Z', throttled: { since: before.changedAt, generation: 1 } };
  await world.dynamodb.send(write({ orderRef: 'asleep', item: 'order' }, '#notBefore', wait));
  await world.dynamodb.send(write({ orderRef: '#token', item: 'token' }, '#notBefore', Date.parse(wait.readAt)));
  await done('pause', '--reason', 'Trial');
  const woken = await commandsIn(world).as('operator', 'retry', 'asleep', '--now', '--yes', '--while-paused');
  expect(woken.stdout).toMatch(
    /^Ended waits: Retry-After, pollAfterSeconds, token, pause\.\nExecution asleep-2 was started/,
  );
  await commandsIn(world).as('operator', 'resume');
  // An order in flight of another release.
  await stopped('behind');
  await retried('behind');
  await world.until('behind', ({ waitingFor }) => waitingFor === 'decision');
  await world.dynamodb.send(write({ orderRef: 'behind', item: 'order' }, '#release', 'earlier'));
  await done('migrate', 'behind');
  // An order of the release before.
  await world.dynamodb.send(write({ orderRef: 'behind', item: 'order' }, '#listedUnder', undefined));
  await done('relist');
  expect([...used].sort()).toEqual([...OPERATOR_ATTRIBUTES].sort());
});
