import type { ErrorObject } from 'ajv';
import { bounded } from '../bounded.ts';
import { allowed, jsonPath, type Problem } from '../json/json-problems.ts';
import { ENGLISH, inWords, type OwnCode, type Things } from '../messages/english.ts';
import { nearestName } from './nearest-name.ts';

/** The longest description or pattern of the schema that a problem repeats. */
const LONGEST_HINT = 200;

type Params = ErrorObject['params'];

const tooFew =
  (things: Things) =>
  ({ limit: least }: Params): OwnCode =>
    least === 1 ? ['empty'] : ['tooFew', { things, least }];
const tooMany =
  (things: Things) =>
  ({ limit: most }: Params): OwnCode => ['tooMany', { things, most }];
const neededBy = ({ property }: Params): OwnCode => ['neededBy', { property }];

/** The problem for each keyword of the schema. */
const CODES: Record<string, (params: Params) => OwnCode> = {
  type: ({ type }) => ['wrongKind', { kinds: [type].flat() }],
  required: () => ['missing', {}],
  dependentRequired: neededBy,
  dependencies: neededBy,
  oneRequired: ({ missing }) => ['noneOf', allowed(missing)],
  enum: ({ allowedValues }) => ['notAllowed', allowed(allowedValues)],
  const: ({ allowedValue }) => ['notAllowed', allowed([allowedValue])],
  minimum: ({ limit: least }) => ['below', { least }],
  maximum: ({ limit: most }) => ['above', { most }],
  exclusiveMinimum: ({ limit: than }) => ['notMoreThan', { than }],
  exclusiveMaximum: ({ limit: than }) => ['notLessThan', { than }],
  multipleOf: ({ multipleOf: of }) => ['notMultiple', { of }],
  minLength: tooFew('characters'),
  maxLength: tooMany('characters'),
  minItems: tooFew('elements'),
  maxItems: tooMany('elements'),
  items: tooMany('elements'),
  unevaluatedItems: tooMany('elements'),
  contains: ({ minContains: least, maxContains: most }) => ['contains', { least, most }],
  minProperties: tooFew('properties'),
  maxProperties: tooMany('properties'),
  uniqueItems: ({ i, j }) => ['sameElements', { one: j, other: i }],
  pattern: ({ pattern }) => {
    const digits = /^\^(?:\\d|\[0-9\])\{(\d+)(?:,(\d+))?\}\$$/.exec(pattern)?.slice(1).filter(Boolean);
    return digits ? ['notDigits', { digits }] : ['pattern', { pattern: bounded(pattern, LONGEST_HINT) }];
  },
  format: ({ format }) => ['wrongKind', { kinds: [format] }],
  propertyNames: () => ['propertyName'],
  'false schema': () => ['notHere'],
  not: () => ['wrongForm'],
  anyOf: () => ['noForm'],
  oneOf: ({ passingSchemas }) => [passingSchemas ? 'severalForms' : 'noForm'],
};

/** The problems of the order data, in words that need no knowledge of schemas. Values of the data are not repeated. */
export function dataProblem(error: ErrorObject): Problem {
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
  if (unknown !== undefined) {
    const names = Object.keys(properties).filter((one) => !Object.hasOwn(data as object, one));
    return { path, ...inWords('unknownProperty', { near: nearestName(unknown, names) }) };
  }
  const problem = inWords(...(CODES[keyword]?.(params) ?? ['invalidData']));
  const hint = hintOf(inside === undefined ? (parentSchema as Hints) : properties[inside]);
  const hinted = { fix: problem.fix + ENGLISH.schemaSays({ hint }), params: { ...problem.params, hint } };
  return { path, ...problem, ...(hint !== '' && hinted) };
}

interface Hints {
  title?: unknown;
  description?: unknown;
}

/** The schema's description for people; empty if there is none. */
function hintOf({ title, description = title }: Hints = {}): string {
  return typeof description === 'string' ? bounded(description, LONGEST_HINT) : '';
}
