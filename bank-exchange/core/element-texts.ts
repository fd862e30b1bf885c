/**
 * Splits a JSON array into the source texts of its elements. `text` must be a JSON array; the caller has checked this.
 */
export function elementTexts(text: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let begin = 0;
  const add = (end: number) => {
    const element = text.slice(begin, end).trim();
    if (element !== '') elements.push(element);
  };
  for (const { token, index } of structure(text)) {
    if (token === ',' && depth === 1) {
      add(index);
      begin = index + 1;
    } else if (token === '[' || token === '{') {
      depth += 1;
      if (depth === 1) begin = index + 1;
    } else if (token === ']' || token === '}') {
      if (depth === 1) add(index);
      depth -= 1;
    }
  }
  return elements;
}

/**
 * Yields the brackets, braces and commas of a JSON text that are outside strings. The time is linear for every text, even
 * for one that ends inside a string.
 */
function* structure(text: string): Generator<{ token: string; index: number }> {
  let inString = false;
  for (const { 0: token, index } of text.matchAll(/\\.|["[\]{},]/gs)) {
    if (token === '"') inString = !inString;
    else if (!inString) yield { token, index };
  }
}
