import { beforeAll, expect, test } from 'vitest';
import { QUERIES } from '../../../infra/order/queries.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answer, creating, inject, removeFaults, uploading } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ ordersGoOn: true });
const { length: before } = world.aws.logs();
const { done } = commandsIn(world);
const ORDER = 'traced-1';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const pathOf = (operation: string) =>
  operation === 'create' ? 'orders' : operation.startsWith('upload-document') ? 'documents' : 'accept';

const written = () =>
  world.aws
    .logs()
    .slice(before)
    .flatMap(({ line }) => (line.startsWith('{') ? [JSON.parse(line)] : []));
const idOf = ({ requestHeaders }: { requestHeaders: Record<string, unknown> }) =>
  String(requestHeaders['x-request-id']);

beforeAll(async () => {
  inject(world.simulator, 'before', creating, answer(401));
  await world.submitUntil(ORDER, ({ orderId }) => orderId !== undefined);
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
  const { operations } = JSON.parse(await done('--json', 'show', ORDER)) as {
    operations: { name: string; call: { requestId: string } }[];
  };
  const sent = operations.map(({ call }) => calls.find((one) => idOf(one) === call.requestId));
  expect(sent.map((call) => call?.path.split('/').at(-1))).toEqual(operations.map(({ name }) => pathOf(name)));
  expect(sent.filter((call) => call?.status === 401)).toEqual([]);
});

test('show and the log of the order have the ID of a refused request, without the words of the service', async () => {
  const refused = world.simulator.calls().find(({ status }) => status === 422) ?? expect.fail();
  expect(await done('show', ORDER)).toContain(`requestId ${idOf(refused)}`);
  expect(written().filter(({ requestId }) => requestId === idOf(refused)).length).toBeGreaterThanOrEqual(2);
  expect(JSON.stringify(written())).not.toContain('Ivan');
});

test('each field of a saved query is in the lines of functions, or in those of Step Functions', () => {
  const inLines = new Set(written().flatMap((line) => Object.keys(line)));
  const known = [...inLines, '@timestamp', 'execution_arn', 'details.name'];
  for (const [name, query] of Object.entries(QUERIES)) {
    const [shown = '', ...filters] = query.split('\n| ');
    const tested = filters.flatMap((one) => one.match(/[\w.@]+(?= (=|>=|like|asc|desc) ?)/g) ?? []);
    const fields = [...shown.replace('fields ', '').split(', '), ...tested];
    expect(fields.length).toBeGreaterThan(4);
    expect({ name, unknown: fields.filter((field) => !known.includes(field)) }).toEqual({ name, unknown: [] });
  }
});
