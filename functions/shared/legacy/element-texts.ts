import { structure } from '../json/lossless-json.ts';

/**
 * The elements of a JSON list, each as the very text that it is in `text`: spelling of numbers, order of members and blanks inside
 * included. `text` must be a JSON list, which the caller has checked.
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
