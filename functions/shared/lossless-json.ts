/**
 * JSON that passes through us unchanged. `JSON.parse` would turn 10.50 into 10.5 and round a 20-digit number; here every
 * number keeps its source text (`JSON.rawJSON` and the reviver's `context.source`, ECMAScript 2026).
 */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const json = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  stringify(value: unknown): string;
  rawJSON(text: string): unknown;
};

/**
 * The text of one member of a JSON object, numbers exactly as they were written; undefined when there is no such member.
 * @throws SyntaxError when `text` is not JSON.
 */
export function memberText(text: string, member: string): string | undefined {
  const parsed = parse(text);
  if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, member)) return undefined;
  return json.stringify((parsed as Record<string, unknown>)[member]);
}

/**
 * The same JSON without blanks, numbers exactly as they were written; of a member written twice the last counts.
 * @throws SyntaxError when `text` is not JSON.
 */
export function compactText(text: string): string {
  return json.stringify(parse(text));
}

function parse(text: string): unknown {
  return json.parse(text, (_key, value, context) =>
    typeof value === 'number' && context.source !== undefined ? json.rawJSON(context.source) : value,
  );
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
