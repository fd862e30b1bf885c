import {
  applyEdits,
  findNodeAtLocation,
  format,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import { extentOf } from './lossless-json.ts';

export type { JSONPath, Node };

/** What a form shows. More values, or deeper ones, are changed as text. */
const MOST_VALUES = 5_000;
const DEEPEST = 100;

/** The tree of an order.json; undefined if it is no JSON object, or too large for a form: then only its text can be changed. */
export function treeOf(text = ''): Node | undefined {
  const { depth, values } = extentOf(text);
  if (depth > DEEPEST || values > MOST_VALUES) return undefined;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  return errors.length === 0 && tree?.type === 'object' ? tree : undefined;
}

export const nodeAt = (tree: Node, path: JSONPath) => findNodeAtLocation(tree, path);

const LAYOUT = { insertSpaces: true, tabSize: 2 };

/** The text with another value at a place, or without one. The rest stays as it was typed, numbers to the digit. */
export function withValue(text: string, path: JSONPath, value: unknown): string {
  const tree = treeOf(text);
  const at = path.findIndex((_, most) => most > 0 && tree && nodeAt(tree, path.slice(0, most))?.type === 'null');
  if (at > 0) return withValue(text, path.slice(0, at), path.slice(at).reduceRight(inside, value));
  // The library removes the last element of an array right only if each is on its line.
  const from = value === undefined ? laidOut(text) : text;
  return applyEdits(from, modify(from, path, value, { formattingOptions: LAYOUT }));
}

const inside = (value: unknown, step: JSONPath[number]) => (typeof step === 'number' ? [value] : { [step]: value });

/** What is at a place that was emptied: elements of an array stay, so the others keep their places. */
export const emptyAt = (path: JSONPath) => (typeof path.at(-1) === 'number' ? '' : undefined);

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;
/** Three digits after one comma may be thousands or decimals, unless there is nothing but zero before it. */
const DECIMAL_COMMA = /^-?(\d+,(\d{1,2}|\d{4,})|0,\d+)$/;

/** A number as JSON has it: without spaces, `1 000,50` is 1000.50. Undefined for what is none, or means another one to others. */
function numberIn(typed: string): string | undefined {
  const digits = typed.replaceAll(/\s/g, '');
  const found = DECIMAL_COMMA.test(digits) ? digits.replace(',', '.') : digits;
  return NUMBER.test(found) ? found : undefined;
}

/** The text with a line for each member. */
export const laidOut = (text: string) => applyEdits(text, format(text, undefined, LAYOUT));

/** The same with what was typed into a field. A number stands as it was typed. */
export function withTyped(
  text: string,
  path: JSONPath,
  typed: string,
  isNumber: boolean,
  empty: unknown = emptyAt(path),
): string {
  const digits = isNumber ? numberIn(typed) : undefined;
  if (digits === undefined) return withValue(text, path, typed === '' ? empty : typed);
  const next = withValue(text, path, 0);
  const { offset = 0, length = 0 } = nodeAt(treeOf(next) as Node, path) ?? {};
  return next.slice(0, offset) + digits + next.slice(offset + length);
}

const STEP = /\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")\]/gu;

/** The steps of a JSONPath, as problems have it. */
export const stepsOf = (path: string): JSONPath =>
  [...path.matchAll(STEP)].map(([, name, at, quoted]) => name ?? (quoted ? String(JSON.parse(quoted)) : Number(at)));

/** The line of a place, from 1; of what it is in, if it is missing. */
export function lineOf(text: string, tree: Node | undefined, path: JSONPath): number | undefined {
  for (let most = path.length; tree && most >= 0; most -= 1) {
    const found = nodeAt(tree, path.slice(0, most));
    if (found) return text.slice(0, found.offset).split('\n').length;
  }
  return undefined;
}

/** Members by which an issue may say where it is. The specification (7.3) does not show them. */
const WHERE = /path|field|pointer|location|propert|member|target/i;

/** Where an issue of the bank points: a JSON Pointer (RFC 6901) or a path to what the tree has, from its top or from the order data. */
export function placeOf(issue: unknown, tree: Node): JSONPath | undefined {
  for (const [name, text] of Object.entries(issue ?? {})) {
    if (!WHERE.test(name) || typeof text !== 'string') continue;
    const steps = text.startsWith('/') ? pointerSteps(text) : stepsOf(`.${text.replace(/^\$?\.?/, '')}`);
    const places = [steps, ['order', ...steps]];
    const found = steps.length > 0 && places.find((place) => nodeAt(tree, place));
    if (found) return found;
  }
  return undefined;
}

const pointerSteps = (pointer: string): JSONPath =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
