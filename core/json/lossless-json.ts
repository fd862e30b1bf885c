/**
 * Functions for JSON whose numbers must not change. `JSON.parse` turns 10.50 into 10.5 and rounds a number of 20 digits.
 * Here every number keeps its source text (`JSON.rawJSON` and the reviver's `context.source`, ECMAScript 2026).
 */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const json = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  stringify(value: unknown): string;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** The source text of a member of a JSON object, the last one if there are several. @throws SyntaxError if it is not JSON. */
export function memberText(text: string, member: string): string | undefined {
  JSON.parse(text);
  return topLevelMember(text, member);
}

/** The source text of a number from {@link parseLossless}; undefined for any other value. */
export const numberText = (value: unknown): string | undefined =>
  json.isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : undefined;

/**
 * Parses JSON. Every number keeps its source text ({@link numberText}). Check the {@link extentOf} of foreign text
 * first: a text that is nested too deep overflows the stack, and each value takes up to 500 bytes.
 * @throws SyntaxError if `text` is not JSON.
 */
export const parseLossless = (text: string): unknown =>
  json.parse(text, (_key, value, context) =>
    typeof value === 'number' && context.source !== undefined ? json.rawJSON(context.source) : value,
  );

/** The JSON text of a value from {@link parseLossless}, without whitespace. */
export const printLossless = (value: unknown): string => json.stringify(value);

/** The most values that are parsed. A value of three bytes takes up to 500 when it is parsed. A questionnaire has thousands of values. */
export const MOST_VALUES = 100_000;

/**
 * How many values a JSON text holds (an empty array or object counts as two), and how deep they are nested. The text is not parsed:
 * this takes linear time and constant memory for every text.
 */
export function extentOf(text: string): { values: number; depth: number } {
  let [values, depth, level] = [1, 0, 0];
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (character === '"') position = stringEnd(text, position) - 1;
    else if (character === ',') values += 1;
    else if (character === '[' || character === '{') {
      values += 1;
      level += 1;
      if (level > depth) depth = level;
    } else if (character === ']' || character === '}') level -= 1;
  }
  return { values, depth };
}

/** {@link memberText} for a text that is known to be JSON. Takes linear time and constant memory at any depth. */
export function topLevelMember(text: string, member: string): string | undefined {
  let found: string | undefined;
  let position = skipBlanks(text, 0);
  if (text[position] !== '{') return undefined;
  position = skipBlanks(text, position + 1);
  while (text[position] === '"') {
    const nameEnd = stringEnd(text, position);
    const name = JSON.parse(text.slice(position, nameEnd));
    const begin = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = valueEnd(text, begin);
    if (name === member) found = text.slice(begin, end);
    position = skipBlanks(text, end);
    if (text[position] === ',') position = skipBlanks(text, position + 1);
  }
  return found;
}

/** The source texts of the elements of a JSON text that is known to be an array. Takes linear time. */
export function elementTexts(text: string): string[] {
  const elements: string[] = [];
  let position = skipBlanks(text, skipBlanks(text, 0) + 1);
  while (position < text.length && text[position] !== ']') {
    const end = valueEnd(text, position);
    elements.push(text.slice(position, end));
    position = skipBlanks(text, end);
    if (text[position] === ',') position = skipBlanks(text, position + 1);
  }
  return elements;
}

/**
 * Finds property names that occur twice in one object, down to the given depth. Each is the path of property names and positions to it. Takes
 * linear time until the first.
 */
export function* repeatedNames(text: string, deepest = Number.POSITIVE_INFINITY): Generator<(string | number)[]> {
  const open: { names: Set<string>; step: string | number }[] = [];
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    const inside = open.at(-1);
    if (character === '{' || character === '[') open.push({ names: new Set(), step: character === '[' ? 0 : '' });
    else if (character === '}' || character === ']') open.pop();
    else if (character === ',' && typeof inside?.step === 'number') inside.step += 1;
    if (character !== '"') continue;
    const end = stringEnd(text, position);
    if (inside && text[skipBlanks(text, end)] === ':') {
      const name: string = JSON.parse(text.slice(position, end));
      inside.step = name;
      if (open.length <= deepest && inside.names.has(name)) yield open.map(({ step }) => step);
      inside.names.add(name);
    }
    position = end - 1;
  }
}

export const hasRepeatedName = (text: string, deepest?: number): boolean => !repeatedNames(text, deepest).next().done;

function skipBlanks(text: string, from: number): number {
  let position = from;
  while (' \t\n\r'.includes(text[position] ?? 'end')) position += 1;
  return position;
}

/** The position after the string that begins at `from`. */
function stringEnd(text: string, from: number): number {
  let position = from + 1;
  while (position < text.length && text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

/** The position after the value that begins at `from`. */
function valueEnd(text: string, from: number): number {
  let position = from;
  let depth = 0;
  while (position < text.length) {
    const character = text[position] as string;
    if (character === '"') {
      position = stringEnd(text, position);
    } else {
      if (depth === 0 && ',}] \t\n\r'.includes(character)) return position;
      if (character === '{' || character === '[') depth += 1;
      if (character === '}' || character === ']') depth -= 1;
      position += 1;
    }
    if (depth === 0 && '"}]'.includes(text[position - 1] as string)) return position;
  }
  return position;
}
