import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { beforeAll, expect, test } from 'vitest';
import { runQuery } from '../../../commands/logs.ts';
import { QUERIES } from '../../../infra/order/queries.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answer, creating, inject, removeFaults, uploading } from '../../helpers/faults.ts';
import { openWorld, submit } from '../../helpers/open-world.ts';

const world = await openWorld({ ordersGoOn: true });
const begun = world.clock.now();
const { length: before } = world.aws.logs();
const { done } = commandsIn(world);
const ORDER = 'traced-1';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface Operation {
  name: string;
  call: { requestId: string };
}

/** The end of the path of an operation's call. */
const pathOf = (operation: string) =>
  operation === 'create' ? 'orders' : operation.startsWith('upload-document') ? 'documents' : 'accept';

/** What the functions wrote, as objects. */
const written = () =>
  world.aws
    .logs()
    .slice(before)
    .flatMap(({ line }) => (line.startsWith('{') ? [JSON.parse(line)] : []));
const idOf = ({ requestHeaders }: { requestHeaders: Record<string, unknown> }) =>
  String(requestHeaders['x-request-id']);

beforeAll(async () => {
  inject(world.simulator, 'before', creating, answer(401));
  await submit(world, ORDER);
  await world.until(ORDER, ({ orderId }) => orderId !== undefined);
  inject(world.simulator, 'before', uploading, answer(422, { error: 'Ivan Ivanov is unknown.' }));
  await world.untilEnd(ORDER);
  removeFaults(world.simulator);
});

test('every request to the service has an ID of its own, the release, and the trace of its invocation', () => {
  const calls = world.simulator.calls();
  expect(calls.length).toBeGreaterThan(5);
  expect(new Set(calls.map(idOf)).size).toBe(calls.length);
  for (const { requestHeaders } of calls) {
    expect(requestHeaders['x-request-id']).toMatch(UUID);
    expect(requestHeaders['user-agent']).toBe(`business-loan-orders/${world.outputs.Release}`);
    expect(requestHeaders.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  }
  const invocations = new Set(written().map(({ awsRequestId = '' }) => awsRequestId.replaceAll('-', '')));
  for (const { requestHeaders } of calls)
    expect(invocations).toContain(String(requestHeaders.traceparent).slice(3, 35));
});

test('the ledger, the log and the simulator name the same requests', async () => {
  const calls = world.simulator.calls();
  const lines = written().filter(({ milliseconds }) => milliseconds !== undefined);
  const answered = calls.filter(({ status }) => status !== 401).map(idOf);
  expect(lines.map(({ requestId }) => requestId).sort()).toEqual(answered.sort());
  const { operations } = JSON.parse(await done('--json', 'show', ORDER)) as { operations: Operation[] };
  const sent = operations.map(({ call }) => calls.find((one) => idOf(one) === call.requestId));
  expect(sent.map((call) => call?.path.split('/').at(-1))).toEqual(operations.map(({ name }) => pathOf(name)));
  expect(sent.filter((call) => call?.status === 401)).toEqual([]);
});

test('show and the log of the order have the ID of a refused request, without the words of the service', async () => {
  const refused = world.simulator.calls().find(({ status }) => status === 422) ?? expect.fail();
  expect(await done('show', ORDER)).toContain(`requestId ${idOf(refused)}`);
  const log = await done('logs', ORDER);
  expect(log.split('\n').filter((line) => line.includes(idOf(refused))).length).toBeGreaterThanOrEqual(2);
  expect(log).not.toContain('Ivan');
});

/** The rows of a saved query, as objects. */
async function rowsOf(query: string) {
  const functions = new Set(world.aws.logs().map(({ functionName }) => `/aws/lambda/${functionName}`));
  const groups = [...functions, '/aws/vendedlogs/states/loan-orders-local'];
  const client = new CloudWatchLogsClient(world.client);
  const to = world.clock.now() + 60_000;
  const rows = await runQuery(client, groups, { queryString: query, from: begun, to });
  return rows.map((row) => Object.fromEntries(row.map(({ field = '', value }) => [field, value])));
}

test('each saved query finds what its name says', async () => {
  const queries = { ...QUERIES };
  const refused = world.simulator.calls().find(({ status }) => status === 422) ?? expect.fail();
  const requestId = idOf(refused);
  const order = await rowsOf((queries['One order'] ?? '').replaceAll('my-order', ORDER));
  expect(order).toContainEqual(expect.objectContaining({ operation: 'create', outcome: 'Success' }));
  expect(order).toContainEqual(expect.objectContaining({ 'details.name': 'Create order' }));
  expect(await rowsOf(queries.Failures ?? '')).toEqual([
    expect.objectContaining({ orderRef: ORDER, error: 'Rejected' }),
  ]);
  expect(await rowsOf(queries['Refused calls'] ?? '')).toEqual([
    expect.objectContaining({ orderRef: ORDER, operation: 'upload-document', httpStatus: '422', requestId }),
  ]);
  const slow = await rowsOf((queries['Slow calls'] ?? '').replace('5000', '0'));
  expect(slow.map(({ milliseconds }) => Number(milliseconds))).toEqual(
    slow.map(({ milliseconds }) => Number(milliseconds)).sort((one, other) => other - one),
  );
  expect(await rowsOf(queries['Slow calls'] ?? '')).toEqual([]);
  const request = await rowsOf((queries['One request'] ?? '').replace(/"[0-9a-f-]+"/, `"${requestId}"`));
  expect(request.map(({ level }) => level)).toEqual(['INFO', 'ERROR']);
});
