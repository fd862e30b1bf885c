import { expect, test } from 'vitest';
import { orderDataCheck } from '../../../../core/package/order-data.ts';

const found = (schema: object, order: unknown) =>
  orderDataCheck(schema)(order).map(({ path, problem, fix }) => `${path}: ${problem} ${fix}`);

const CORRECT = "Correct it. The stage's schema of the order data says what is allowed.";
const inn = { type: 'string', pattern: '^\\d{10}$' };
const company = { type: 'object', required: ['inn'], properties: { inn }, additionalProperties: false };
const ogrn = { type: 'string', pattern: '^1\\d*$', description: 'State registration number, begins with 1' };

test.each<[rule: object, value: unknown, said: string]>([
  [{ type: 'number' }, '500', 'It is not a number without quotes. Write a number without quotes.'],
  [{ type: ['string', 'null'] }, 7, 'It is not a string in quotes or null. Write a string in quotes or null.'],
  [{ enum: ['RUB', 'USD'] }, 'EUR', 'The value is not allowed. Write "RUB" or "USD".'],
  [{ const: true }, false, 'The value is not allowed. Write true.'],
  [{ exclusiveMinimum: 0 }, 0, 'It must be greater than 0. Write a greater number.'],
  [{ minLength: 1 }, '', 'It is empty. Fill it in.'],
  [{ minLength: 3 }, 'ab', 'It has too few characters: the least is 3. Add more.'],
  [
    { maxLength: 1, title: 'Grade' },
    'ab',
    'It has too many characters: the most is 1. Shorten it. The schema says of it: "Grade".',
  ],
  [{ uniqueItems: true }, [1, 2, 1], 'Its elements [0] and [2] are the same. Remove one of them.'],
  [inn, '77', 'It is not 10 digits. Write 10 digits.'],
  [{ pattern: '^[0-9]{10,12}$' }, 'x', 'It is not 10 to 12 digits. Write 10 to 12 digits.'],
  [
    ogrn,
    '2',
    'It does not have the form that is asked for. Correct it. The pattern is ^1\\d*$ here. The schema says of it: "State registration number, begins with 1".',
  ],
  [{ format: 'date' }, '31.01.2026', 'It is not a date such as 2026-01-31. Write a date such as 2026-01-31.'],
  [{ not: { type: 'number' } }, 1, `It has a form that is not allowed here. ${CORRECT}`],
  [{ prefixItems: [{}], items: false }, [1, 2], 'It has too many elements: the most is 1. Shorten it.'],
  [
    { contains: { type: 'string' } },
    [1, 2],
    `At least 1 of its elements must have the form that the schema asks for. ${CORRECT}`,
  ],
  [
    { contains: { anyOf: [{ type: 'string' }, { type: 'null' }] }, minContains: 2, maxContains: 3 },
    ['a', 1],
    `At least 2 and at most 3 of its elements must have the form that the schema asks for. ${CORRECT}`,
  ],
  [
    { anyOf: [{ type: 'string' }, company, { type: 'object' }] },
    7,
    'It is not a string in quotes or an object { … }. Write a string in quotes or an object { … }.',
  ],
  [{ oneOf: [{ const: 'A', title: 'Annuity' }, { const: 'B' }] }, 'C', 'The value is not allowed. Write "A" or "B".'],
  [
    { anyOf: [{ required: ['inn'] }, { required: ['ogrn'] }] },
    {},
    'It has none of these: "inn" or "ogrn". Add one of them.',
  ],
  [
    { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    3,
    `It fits more than one of the forms that are allowed here. ${CORRECT}`,
  ],
  [{ anyOf: [{ minimum: 5 }, { multipleOf: 2 }] }, 3, `It fits none of the forms that are allowed here. ${CORRECT}`],
] as never)('a value that breaks %j is told what to do', (rule, value, said) => {
  expect(found({ properties: { value: rule } }, { value })).toEqual([`$.order.value: ${said}`]);
});

test('a property that is missing or unknown has its own path, the near name, and what the schema says of it', () => {
  const schema = {
    required: ['ogrn', 'loan'],
    properties: { ogrn, loan: { type: 'object' } },
    additionalProperties: false,
    propertyNames: { maxLength: 8 },
    dependentRequired: { loan: ['term'] },
    dependencies: { loan: ['rate'] },
  };
  expect(found(schema, { 'odd name': 1, orn: '1', loan: {} }).sort()).toEqual([
    '$.order.ogrn: It is missing. Add it. The schema says of it: "State registration number, begins with 1".',
    '$.order.orn: It is not a known property. Rename it to ogrn, or remove it.',
    '$.order.rate: It is missing, and loan needs it. Add it.',
    '$.order.term: It is missing, and loan needs it. Add it.',
    '$.order["odd name"]: It is not a known property. Remove it, or correct its spelling.',
  ]);
  expect(found({ propertyNames: { maxLength: 3 } }, { long: 1 })).toEqual([
    '$.order.long: A property cannot have this name. Rename or remove it.',
  ]);
});

test('of several forms, the one that was meant has its problems, also behind references', () => {
  const person = {
    type: 'object',
    properties: { kind: { const: 'person' }, name: { type: 'string' } },
    required: ['name'],
  };
  const firm = { ...company, properties: { inn, kind: { const: 'firm' } } };
  const owner = { anyOf: [{ type: 'null' }, { $ref: '#/$defs/a~1b' }] };
  const schema = {
    properties: { owners: { type: 'array', items: { $ref: '#/$defs/owner' } } },
    $defs: { owner, 'a/b': { oneOf: [{ $ref: '#/$defs/person' }, { $ref: '#/$defs/firm' }] }, person, firm },
    required: ['loan'],
    anyOf: [{ required: ['owners'] }, { required: ['holding'] }],
  };
  const owners = [
    null,
    { kind: 'firm', inn: '77' },
    { kind: 'person', name: 1 },
    'Anna',
    { kind: 'other' },
    { name: 1 },
  ];
  expect(found(schema, { owners }).sort()).toEqual([
    '$.order.loan: It is missing. Add it.',
    '$.order.owners[1].inn: It is not 10 digits. Write 10 digits.',
    '$.order.owners[2].name: It is not a string in quotes. Write a string in quotes.',
    `$.order.owners[3]: It is not null or an object { … }. Write null or an object { … }.`,
    `$.order.owners[4]: It fits none of the forms that are allowed here. ${CORRECT}`,
    '$.order.owners[5].name: It is not a string in quotes. Write a string in quotes.',
  ]);
  expect(found({ $ref: '#/$defs/owners', $defs: { owners: { items: company } } }, [{ inn: '7707083893' }])).toEqual([]);
});

test('no problem repeats a value of the order, and a wrong file has at most 200 problems', () => {
  const schema = { items: { type: 'object', properties: { name: { maxLength: 3, enum: ['a'], format: 'email' } } } };
  const said = found(
    schema,
    [...Array(500)].map(() => ({ name: 'Anna Ivanova' })),
  );
  expect(said).toHaveLength(200);
  expect(said.join()).not.toContain('Anna');
});

test.each([{ $dynamicRef: '#node' }, { properties: { child: { $dynamicRef: '#node' } } }])(
  'a choice whose branch %j cannot be read alone is said as a whole',
  (branch) => {
    const schema = {
      ...{ $id: 'https://bank.example/node', $dynamicAnchor: 'node', type: 'object', required: ['name'] },
      properties: { child: { anyOf: [{ type: 'null' }, branch] } },
    };
    const missing = '$.order.name: It is missing. Add it.';
    const choice = `$.order.child: It fits none of the forms that are allowed here. ${CORRECT}`;
    expect(found(schema, { child: { child: 4 } })).toEqual([missing, choice]);
    expect(found(schema, { name: '', child: { name: '', child: { name: '' } } })).toEqual([]);
  },
);

test('of a form that is not meant, no error is said, however many there are', () => {
  const form = (t: string, type: string) => ({ properties: { t: { const: t }, items: { items: { type } } } });
  const schema = { properties: { forms: { items: { anyOf: [form('A', 'number'), form('B', 'string')] } } } };
  const letters = Array(3_000).fill('a');
  expect(found(schema, { forms: [{ t: 'B', items: [...letters, 7] }] })).toEqual([
    '$.order.forms[0].items[3000]: It is not a string in quotes. Write a string in quotes.',
  ]);
  const forms = Array(35_000).fill({ t: 'B', items: [7] });
  expect(found(schema, { forms })).toHaveLength(200);
});

test('a long value or pattern of the schema is cut', () => {
  const long = 'a'.repeat(10_000);
  for (const rule of [{ enum: [long] }, { const: [long] }, { pattern: `^${long}$` }])
    expect(found({ properties: { value: rule } }, { value: '' }).join().length).toBeLessThan(400);
  expect(found({ properties: { value: { enum: [long] } } }, { value: '' })[0]).toMatch(/a…"\.$/);
});

test('a schema with a reference that leads nowhere cannot be used', () => {
  expect(() => orderDataCheck({ $ref: '#/$defs/nothing' })).toThrow("can't resolve reference");
});
