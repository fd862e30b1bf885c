import type { ErrorObject } from 'ajv';
import ajv2020, { type Ajv2020 as Ajv } from 'ajv/dist/2020.js';
import ajvFormats, { type FormatsPlugin } from 'ajv-formats';
import { jsonPath, type Problem } from '../json/json-problems.ts';

// Both are CommonJS, whose default export Node and bundlers see differently; their types follow.
const { Ajv2020 } = ajv2020 as unknown as { Ajv2020: typeof Ajv };
const { default: addFormats } = ajvFormats as unknown as { default: FormatsPlugin };

/** What says all that can be said of its branches: each of them is wrong for another reason. */
const CHOICES = ['anyOf', 'oneOf'];

/**
 * A check of the order data by the stage's JSON Schema (draft 2020-12).
 * @throws Error if the schema cannot be used.
 */
export function orderDataCheck(schema: object): (order: unknown) => Problem[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  return (order) => (validate(order) ? [] : problemsOf(validate.errors ?? []));
}

function problemsOf(errors: ErrorObject[]): Problem[] {
  const choices = errors.filter(({ keyword }) => CHOICES.includes(keyword));
  const isInChoice = (error: ErrorObject) =>
    choices.some((choice) => choice !== error && `${error.instancePath}/`.startsWith(`${choice.instancePath}/`));
  return errors.filter((error) => error.keyword !== 'if' && !isInChoice(error)).map(problemOf);
}

function problemOf({ instancePath, params, message }: ErrorObject): Problem {
  const place = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const at = (...more: string[]) => jsonPath(['order', ...place, ...more]);
  const { missingProperty: missing, allowedValues } = params;
  if (missing !== undefined) return { path: at(missing), problem: 'It is missing.', fix: 'Add it.' };
  const unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (unknown !== undefined)
    return { path: at(unknown), problem: 'It is not a known property.', fix: 'Remove it, or correct its spelling.' };
  const allowed = Array.isArray(allowedValues) ? `: ${allowedValues.map((one) => JSON.stringify(one)).join(', ')}` : '';
  const fix = "Correct it. The stage's schema of the order data says what is allowed.";
  return { path: at(), problem: `It ${message}${allowed}.`, fix };
}
