import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { EVENT_VERSION, type eventSchemas } from '../../../core/events/event-schemas.ts';
import { VERSION } from '../../../core/events/order-event.ts';
import { allSettings, schemaOf } from '../../../infra/all-settings.ts';
import { stageSchema } from '../../../infra/stages.ts';
import { asyncApi, messageName } from '../../../scripts/async-api.ts';
import { ORDER_PACKAGE, withMembers } from '../../../scripts/write-schemas.ts';
import { settingsPage, stageJsonSchema } from '../../../scripts/write-settings.ts';

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
  'Deadline Near': { ...ofOrder, what: 'decision', due: '2026-01-01T00:00:00.000Z' },
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

test('the tables of members in docs/order-package.md are what "npm run generate" writes', () => {
  const page = readFileSync(ORDER_PACKAGE, 'utf8');
  expect(page).toContain('| `decidedBy` (optional) |');
  expect(withMembers(page)).toBe(page);
});

test('every setting, and every group of settings, has a description', () => {
  const settings = allSettings(schemaOf(stageSchema));
  expect(settings.length).toBeGreaterThan(60);
  expect(settings.filter(({ schema }) => !schema.description?.endsWith('.')).map(({ name }) => name)).toEqual([]);
});

test.each([
  ['a range', '| `outagePatienceHours` | 1 to 8760 | 72 |'],
  ['bytes', '| `limits.documentBytes` | 1 KiB to 5 GiB | 5 GiB |'],
  ['words', '| `signing.gate` | `off`, `check`, `strict` | `check` |'],
  ['a number or a word', '| `retention.documentsDays` | 1 to 36500, `keep` | 90 |'],
  ['a setting without a value', '| `events.archiveDays` | 1 to 36500 | – |'],
])('the page of settings shows %s', (_title, row) => {
  expect(settingsPage()).toContain(`\n${row}`);
});

test('the schema for editors has the default and the unit of a setting, and accepts the files of the project', () => {
  const schema = stageJsonSchema();
  expect(schema).toMatchObject({
    properties: { limits: { properties: { documentBytes: { default: 5 * 2 ** 30, description: /Unit: bytes\.$/ } } } },
    required: ['orderService'],
  });
});
