/**
 * JSON that passes through us unchanged. `JSON.parse` would turn 10.50 into 10.5 and round a 20-digit number; here every
 * number keeps its source text (`JSON.rawJSON` and the reviver's `context.source`, ECMAScript 2026).
 */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const json = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  stringify(value: unknown): string;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/**
 * The text of one member of a JSON object, exactly as it stands there; of a member written twice the last counts. Undefined when there is
 * no such member.
 * @throws SyntaxError when `text` is not JSON.
 */
export function memberText(text: string, member: string): string | undefined {
  JSON.parse(text);
  return topLevelMember(text, member);
}

/**
 * The same JSON without blanks, numbers exactly as they were written; of a member written twice the last counts.
 * @throws SyntaxError when `text` is not JSON.
 */
export function compactText(text: string): string {
  return printLossless(parseLossless(text));
}

/** The text of a number that was parsed so ({@link parseLossless}); undefined of anything else. */
export function numberText(value: unknown): string | undefined {
  return json.isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : undefined;
}

/**
 * The value of a JSON text in which every number keeps its text ({@link numberText}). For texts that are not nested deeper than a stack is high.
 * @throws SyntaxError when `text` is not JSON.
 */
export function parseLossless(text: string): unknown {
  return json.parse(text, (_key, value, context) =>
    typeof value === 'number' && context.source !== undefined ? json.rawJSON(context.source) : value,
  );
}

/** The text of a value that was parsed so, without blanks. */
export function printLossless(value: unknown): string {
  return json.stringify(value);
}

/**
 * The brackets, braces and commas of a JSON text that stand outside its strings. Every character is looked at once, whatever the text: one
 * that ends inside a string takes no longer than another.
 */
export function* structure(text: string): Generator<{ token: string; index: number }> {
  let inString = false;
  for (const { 0: token, index } of text.matchAll(/\\.|["[\]{},]/gs)) {
    if (token === '"') inString = !inString;
    else if (!inString) yield { token, index };
  }
}

/** How deep lists and objects stand in each other in a JSON text, counted without building anything. */
export function nestingDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const { token } of structure(text)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

/** The same for a text that is known to be JSON. Linear, and of constant memory however deep the text is nested. */
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

function skipBlanks(text: string, from: number): number {
  let position = from;
  while (' \t\n\r'.includes(text[position] ?? 'end')) position += 1;
  return position;
}

/** The position behind the string that begins at `from`. */
function stringEnd(text: string, from: number): number {
  let position = from + 1;
  while (position < text.length && text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

/** The position behind the value that begins at `from`. */
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
