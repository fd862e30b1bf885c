import ajv2020, { type Ajv2020 as Ajv } from 'ajv/dist/2020.js';
import ajvFormats, { type FormatsPlugin } from 'ajv-formats';
import { MAX_PROBLEMS, type Problem } from '../json/json-problems.ts';
import { type BranchesOf, meantErrors } from './meant-errors.ts';
import { problemOf } from './order-data-problems.ts';

// Both are CommonJS, whose default export Node and bundlers see differently; their types follow.
const { Ajv2020 } = ajv2020 as unknown as { Ajv2020: typeof Ajv };
const { default: addFormats } = ajvFormats as unknown as { default: FormatsPlugin };

const NAME = 'order-data';
/** A choice needs all errors of its branches, and comparing errors takes time. */
const MAX_ERRORS = 10 * MAX_PROBLEMS;

/**
 * A check of the order data by the stage's JSON Schema (draft 2020-12).
 * @throws Error if the schema cannot be used.
 */
export function orderDataCheck(schema: object): (order: unknown) => Problem[] {
  // Verbose errors have the part of the schema that they come from.
  const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true });
  addFormats(ajv);
  ajv.addSchema(schema, NAME);
  const validate = ajv.compile(schema);
  const branchesOf: BranchesOf = ({ schema: branches, data, instancePath }) => {
    const pointer = pointerOf(branches, schema) ?? '';
    return (branches as unknown[]).map((_branch, position) => {
      const branch = ajv.getSchema(`${NAME}#${pointer}/${position}`);
      branch?.(data);
      return (branch?.errors ?? []).map((error) => ({ ...error, instancePath: instancePath + error.instancePath }));
    });
  };
  return (order) => {
    if (validate(order)) return [];
    const errors = meantErrors((validate.errors ?? []).slice(0, MAX_ERRORS), branchesOf);
    return errors.slice(0, MAX_PROBLEMS).map(problemOf);
  };
}

/** The JSON pointer of a part of the schema. The paths in Ajv's errors begin at the last reference instead. */
function pointerOf(part: unknown, whole: unknown): string | undefined {
  if (part === whole) return '';
  if (typeof whole !== 'object' || whole === null) return undefined;
  for (const [name, inside] of Object.entries(whole)) {
    const pointer = pointerOf(part, inside);
    const step = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
    if (pointer !== undefined) return `/${step}${pointer}`;
  }
  return undefined;
}
