import type { ErrorObject } from 'ajv';
import { bounded } from '../bounded.ts';
import { allowed, jsonPath, kindOf, type Problem } from '../json/json-problems.ts';
import { nearestName } from './nearest-name.ts';

/** The longest description or pattern of the schema that a problem repeats. */
const LONGEST_HINT = 200;
const CORRECT = "Correct it. The stage's schema of the order data says what is allowed.";

type Words = [problem: string, fix: string];

const isNot = (wanted: string): Words => [`It is not ${wanted}.`, `Write ${wanted}.`];
const notAllowed = (values: readonly unknown[]): Words => ['The value is not allowed.', `Write ${allowed(values)}.`];
const tooFew =
  (things: string) =>
  (params: ErrorObject['params']): Words =>
    params.limit === 1
      ? ['It is empty.', 'Fill it in.']
      : [`It has too few ${things}: the least is ${params.limit}.`, 'Add more.'];
const tooMany =
  (things: string) =>
  (params: ErrorObject['params']): Words => [`It has too many ${things}: the most is ${params.limit}.`, 'Shorten it.'];
const neededBy = ({ property }: ErrorObject['params']): Words => [
  `It is missing, and ${property} needs it.`,
  'Add it.',
];

/** What is wrong, and how to fix it, by the keyword of the schema. */
const WORDS: Record<string, (params: ErrorObject['params']) => Words> = {
  type: ({ type }) => isNot([type].flat().map(kindOf).join(' or ')),
  required: () => ['It is missing.', 'Add it.'],
  dependentRequired: neededBy,
  dependencies: neededBy,
  oneRequired: ({ missing }) => [`It has none of these: ${allowed(missing)}.`, 'Add one of them.'],
  enum: ({ allowedValues }) => notAllowed(allowedValues),
  const: ({ allowedValue }) => notAllowed([allowedValue]),
  minimum: ({ limit }) => [`It is less than ${limit}.`, `Write ${limit} or more.`],
  maximum: ({ limit }) => [`It is more than ${limit}.`, `Write ${limit} or less.`],
  exclusiveMinimum: ({ limit }) => [`It is not more than ${limit}.`, `Write more than ${limit}.`],
  exclusiveMaximum: ({ limit }) => [`It is not less than ${limit}.`, `Write less than ${limit}.`],
  multipleOf: ({ multipleOf }) => [`It is not a multiple of ${multipleOf}.`, 'Round it.'],
  minLength: tooFew('characters'),
  maxLength: tooMany('characters'),
  minItems: tooFew('elements'),
  maxItems: tooMany('elements'),
  items: tooMany('elements'),
  unevaluatedItems: tooMany('elements'),
  contains: ({ minContains: least, maxContains: most }) => [
    `The number of elements with the form that is asked for is not right: the least is ${least}${most === undefined ? '' : `, the most is ${most}`}.`,
    CORRECT,
  ],
  minProperties: tooFew('properties'),
  maxProperties: tooMany('properties'),
  uniqueItems: ({ i, j }) => [`Its elements [${j}] and [${i}] are the same.`, 'Remove one of them.'],
  pattern: ({ pattern }) => {
    const digits = /^\^(?:\\d|\[0-9\])\{(\d+)(?:,(\d+))?\}\$$/.exec(pattern);
    if (digits) return isNot(`${digits.slice(1).filter(Boolean).join(' to ')} digits`);
    return [
      'It does not have the form that is asked for.',
      `Correct it. The pattern is ${bounded(pattern, LONGEST_HINT)} here.`,
    ];
  },
  format: ({ format }) => isNot(FORMATS[format] ?? `a value of the format ${format}`),
  propertyNames: () => ['A property cannot have this name.', 'Rename or remove it.'],
  'false schema': () => ['It is not allowed here.', 'Remove it.'],
  not: () => ['It has a form that is not allowed here.', CORRECT],
  anyOf: () => ['It fits none of the forms that are allowed here.', CORRECT],
  oneOf: ({ passingSchemas }) => [
    `It fits ${passingSchemas ? 'more than one' : 'none'} of the forms that are allowed here.`,
    CORRECT,
  ],
};

const FORMATS: Record<string, string> = {
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T09:00:00Z',
  email: 'an e-mail address',
  uri: 'an address such as https://bank.example',
  uuid: 'a UUID',
};

/** What is wrong with the order data, in words that need no schema. No value of the data is repeated. */
export function problemOf(error: ErrorObject): Problem {
  const { instancePath, keyword, params, parentSchema = {}, data } = error;
  const place = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const unknown: string | undefined = params.additionalProperty ?? params.unevaluatedProperty;
  const inside: string | undefined = params.missingProperty ?? unknown ?? params.propertyName;
  const path = jsonPath(['order', ...place, ...(inside === undefined ? [] : [inside])]);
  const properties: Record<string, Hints> = parentSchema.properties ?? {};
  if (unknown !== undefined) return { path, ...notKnown(unknown, Object.keys(properties), data as object) };
  const [problem, fix] = WORDS[keyword]?.(params) ?? ['The value is not valid here.', CORRECT];
  return { path, problem, fix: fix + hint(inside === undefined ? (parentSchema as Hints) : properties[inside]) };
}

function notKnown(name: string, known: string[], data: object): Omit<Problem, 'path'> {
  const near = nearestName(
    name,
    known.filter((one) => !Object.hasOwn(data, one)),
  );
  const fix = near === undefined ? 'Remove it, or correct its spelling.' : `Rename it to ${near}, or remove it.`;
  return { problem: 'It is not a known property.', fix };
}

interface Hints {
  title?: unknown;
  description?: unknown;
}

/** What the schema says for people. */
function hint({ title, description = title }: Hints = {}): string {
  return typeof description === 'string' ? ` The schema says of it: "${bounded(description, LONGEST_HINT)}".` : '';
}
