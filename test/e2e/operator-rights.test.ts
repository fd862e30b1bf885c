import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemContext } from '@business-loan-orders/embedded-aws';
import { beforeAll, expect, test } from 'vitest';
import type { OrderItem } from '../../core/order/order-item.ts';
import { OPERATOR_ATTRIBUTES } from '../../infra/order/operator-record.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { answer, creating, inject, loseAnswer } from '../helpers/faults.ts';
import { OFFERS_AT_ONCE, openWorld, submit } from '../helpers/open-world.ts';

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

/** Runs a command that must succeed with the rights of an operator alone. */
async function done(...args: string[]): Promise<void> {
  const environment = { ...world.aws.environment, AWS_ACCESS_KEY_ID: 'operator' };
  const { code, stderr } = await loanOrders(['--stage', 'local', ...args], environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

/** An order that waits for a decision, stopped by the operator. */
async function stopped(orderRef: string) {
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');
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

test.each<[string, UpdateCommand | PutCommand | DeleteCommand]>([
  [
    'put into the record by an update',
    new UpdateCommand({
      TableName,
      Key: { orderRef, item: 'order' },
      UpdateExpression: 'SET decision = :decision',
      ExpressionAttributeValues: { ':decision': { version: 1, choices: [{ offerId: 'any', code: 'FIRST-12' }] } },
    }),
  ],
  [
    'put into a part of the record',
    new UpdateCommand({
      TableName,
      Key: { orderRef, item: 'order' },
      UpdateExpression: 'SET decision.choices = :choices',
      ExpressionAttributeValues: { ':choices': [{ offerId: 'any', code: 'FIRST-12' }] },
    }),
  ],
  [
    'put into a new record',
    new PutCommand({ TableName, Item: { orderRef, item: 'order', status: 'OFFERS_AVAILABLE' } }),
  ],
  ['made possible by removing the record', new DeleteCommand({ TableName, Key: { orderRef, item: 'order' } })],
])('a decision cannot be %s with the rights of an operator', async (_how, attack) => {
  await expect(dynamodb.send(attack as UpdateCommand)).rejects.toMatchObject({
    name: 'AccessDeniedException',
  });
  expect(await world.record(orderRef)).toEqual(before);
});

test('the operator may change those attributes of orders that the commands change, and no others', async () => {
  used.clear();
  await done('pause', '--reason', 'Trial');
  await done('resume');
  // The creation: corrected, and never made.
  inject(world.simulator, 'after', creating, loseAnswer);
  await submit(world, 'mistyped');
  await world.untilEnd('mistyped');
  await done('resolve', 'mistyped', '--order-id', 'no-such-order');
  await retried('mistyped');
  expect(await world.untilEnd('mistyped')).toMatchObject({ orderId: 'no-such-order', failure: { error: 'Rejected' } });
  await done('resolve', 'mistyped', '--none', '--yes');
  // A dismissal of an order whose last execution never claimed it, and back again.
  inject(world.simulator, 'before', creating, answer(400));
  await submit(world, 'refused');
  await world.untilEnd('refused');
  const stateMachineArn = world.outputs.OrderStateMachine;
  const input = JSON.stringify({ orderRef: 'refused', generation: 1 });
  await world.stepFunctions.send(new StartExecutionCommand({ stateMachineArn, name: 'refused-2', input }));
  await world.aws.settle();
  await done('dismiss', 'refused', '--reason', 'Trial');
  await retried('refused');
  // An order in flight of another release.
  await stopped('behind');
  await retried('behind');
  await world.until('behind', ({ waitingFor }) => waitingFor === 'decision');
  await DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.clientSettings)).send(
    new UpdateCommand({
      TableName,
      Key: { orderRef: 'behind', item: 'order' },
      UpdateExpression: 'SET #release = :release',
      ExpressionAttributeNames: { '#release': 'release' },
      ExpressionAttributeValues: { ':release': 'earlier' },
    }),
  );
  await done('migrate', 'behind');
  expect([...used].sort()).toEqual([...OPERATOR_ATTRIBUTES].sort());
});
