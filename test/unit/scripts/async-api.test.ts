import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { EVENT_VERSION, type eventSchemas } from '../../../core/events/event-schemas.ts';
import { VERSION } from '../../../core/events/order-event.ts';
import { asyncApi, messageName } from '../../../scripts/async-api.ts';

const specification = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json');
const document = asyncApi();
const formats = (ajv: Ajv) => (addFormats as unknown as (to: Ajv) => Ajv)(ajv);

const event = (type: string, detail: object) => ({
  version: '0',
  id: '7bf73129-1428-4cd3-a780-95db273d1602',
  'detail-type': type,
  source: 'loan-orders',
  account: '111122223333',
  time: '2026-01-01T00:00:00Z',
  region: 'eu-central-1',
  resources: [],
  detail,
});
const common = { version: 1, id: 'my-order/3', stage: 'prod', at: '2026-01-01T00:00:00.000Z' };
const ofOrder = { ...common, orderRef: 'my-order', sequence: 3 };
const examples: Record<keyof typeof eventSchemas, object> = {
  'Order Status Changed': { ...ofOrder, status: 'IN_WORK', previousStatus: 'RECEIVED', orderId: '17' },
  'Signatures Requested': { ...ofOrder, round: 1, documents: 2, page: 'orders/my-order/to-sign.json' },
  'Decision Requested': { ...ofOrder, page: 'orders/my-order/offers.json' },
  'Upload Rejected': { ...common, kind: 'package', orderRef: 'my-order', versionId: 'v1' },
  'Order Failed': {
    ...ofOrder,
    error: 'ServiceUnavailable',
    generation: 1,
    waitingFor: 'service',
    resumesAt: common.at,
  },
  'Order Resumed': { ...ofOrder, error: 'ServiceUnavailable', generation: 2, automatic: true },
  'Order Ended': { ...ofOrder, end: 'CLOSED' },
};

test('the document follows the JSON Schema of AsyncAPI 3', () => {
  const ajv = formats(new Ajv({ strict: false, allErrors: true }));
  const follows = ajv.compile(specification);
  follows(document);
  expect(follows.errors ?? []).toEqual([]);
  follows({ ...document, channels: { orders: { address: 7 } } });
  expect(follows.errors).not.toBeNull();
});

test('what the functions write has the version of the schemas', () => {
  expect(VERSION).toBe(EVENT_VERSION);
});

describe.each(Object.entries(examples))('%s', (type, detail) => {
  const schema = document.components.schemas[messageName(type)] as object;
  const follows = formats(new Ajv()).compile(schema);

  test('has a schema that its example follows, also with a member that later releases may add', () => {
    expect([follows(event(type, detail)), follows.errors]).toEqual([true, null]);
    expect(follows(event(type, { ...detail, later: 1 }))).toBe(true);
  });

  test('has a schema that nothing else follows', () => {
    const { id: _id, ...anonymous } = detail as { id: string };
    expect(follows(event(type, anonymous))).toBe(false);
    expect(follows(event(type, { ...detail, version: 2 }))).toBe(false);
    expect(follows(event('Order Created', detail))).toBe(false);
  });

  test('names each of its members in plain words', () => {
    const { properties } = (
      schema as { properties: { detail: { properties: Record<string, { description?: string }> } } }
    ).properties.detail;
    expect(Object.entries(properties).filter(([, { description }]) => !description)).toEqual([]);
  });
});
