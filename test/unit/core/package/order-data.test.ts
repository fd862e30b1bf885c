import { expect, test } from 'vitest';
import { orderDataCheck } from '../../../../core/package/order-data.ts';

const schema = {
  type: 'object',
  required: ['company', 'loan'],
  additionalProperties: false,
  properties: {
    company: { $ref: '#/$defs/company' },
    loan: {
      type: 'object',
      properties: { amount: { type: 'number', maximum: 10 }, currency: { enum: ['RUB', 'USD'] } },
    },
    owners: { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/company' }] } },
  },
  $defs: {
    company: { type: 'object', required: ['inn'], properties: { inn: { type: 'string', pattern: '^\\d{10}$' } } },
  },
};

const found = (order: unknown) =>
  orderDataCheck(schema)(order).map(({ path, problem, fix }) => `${path}: ${problem} ${fix}`);

test('each problem of the order data has its path, what is wrong and what to do', () => {
  const order = { company: { inn: '77' }, loan: { amount: 'a lot', currency: 'EUR' }, owners: ['A', 7], 'odd name': 1 };
  const correct = "Correct it. The stage's schema of the order data says what is allowed.";
  expect(found(order).sort()).toEqual([
    `$.order.company.inn: It must match pattern "^\\d{10}$". ${correct}`,
    `$.order.loan.amount: It must be number. ${correct}`,
    `$.order.loan.currency: It must be equal to one of the allowed values: "RUB", "USD". ${correct}`,
    `$.order.owners[1]: It must match a schema in anyOf. ${correct}`,
    '$.order["odd name"]: It is not a known property. Remove it, or correct its spelling.',
  ]);
  expect(found({ loan: {}, company: {} })).toEqual(['$.order.company.inn: It is missing. Add it.']);
  expect(found({ company: { inn: '7707083893' }, loan: { amount: 10 }, owners: [{ inn: '7707083893' }] })).toEqual([]);
});

test('a schema with a reference that leads nowhere cannot be used', () => {
  expect(() => orderDataCheck({ $ref: '#/$defs/nothing' })).toThrow("can't resolve reference");
});
