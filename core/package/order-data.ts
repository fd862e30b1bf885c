import ajv2020, { type Ajv2020 as Ajv } from 'ajv/dist/2020.js';
import ajvFormats, { type FormatsPlugin } from 'ajv-formats';
import type { Problem } from '../json/json-problems.ts';
import { type BranchesOf, meantErrors } from './meant-errors.ts';
import { dataProblem } from './order-data-problems.ts';

// Both are CommonJS: Node and bundlers, and so the types, treat their default exports differently.
const { Ajv2020 } = ajv2020 as unknown as { Ajv2020: typeof Ajv };
const { default: addFormats } = ajvFormats as unknown as { default: FormatsPlugin };

const NAME = 'order-data';

/**
 * A check of the order data by the stage's JSON Schema (draft 2020-12).
 * @throws Error if the schema cannot be used.
 */
export function orderDataCheck(schema: object): (order: unknown) => Problem[] {
  // Verbose errors include the part of the schema that they come from.
  const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true });
  addFormats(ajv);
  ajv.addSchema(schema, NAME);
  const validate = ajv.compile(schema);
  const pointers = new Map<unknown, string>();
  const errorsOf = (pointer: string, data: unknown, path: string) => {
    const part = ajv.getSchema(`${NAME}#${pointer}`);
    part?.(data);
    return (part?.errors ?? []).map((error) => ({ ...error, instancePath: path + error.instancePath }));
  };
  const branchesOf: BranchesOf = ({ keyword, schema: part, data, instancePath }) => {
    const pointer = pointers.get(part) ?? pointerOf(part, schema) ?? '';
    pointers.set(part, pointer);
    try {
      return keyword === 'contains'
        ? (data as unknown[]).map((element, position) => errorsOf(pointer, element, `${instancePath}/${position}`))
        : (part as unknown[]).map((_branch, position) => errorsOf(`${pointer}/${position}`, data, instancePath));
    } catch {
      // A part with `$dynamicRef` cannot always be checked alone: then it refers to itself instead of the whole schema.
      return undefined;
    }
  };
  return (order) => {
    if (validate(order)) return [];
    const errors = validate.errors ?? [];
    const meant = meantErrors(errors, branchesOf);
    // The last error is never nested in another, so invalid data always has a problem.
    return (meant.length > 0 ? meant : errors.slice(-1)).map(dataProblem);
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
