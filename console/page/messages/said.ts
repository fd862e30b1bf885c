/** A text in English and in Russian. Forms of a noun are separated by `|`: English has two, Russian three. */
export type Both = [english: string, russian: string];

/** Texts of the page by name. A text with parameters is a function. */
export interface Said {
  [name: string]: Both | ((...given: never[]) => Both) | Said;
}

/** The same texts in one language. */
export type InOne<Words> = Words extends Both
  ? string
  : Words extends (...given: infer Given) => Both
    ? (...given: Given) => string
    : { [Name in keyof Words]: InOne<Words[Name]> };

/** @param at the index of the language in `Both`. */
export function inOne<Words>(words: Words, at: 0 | 1): InOne<Words>;
export function inOne(words: Said[string], at: 0 | 1): unknown {
  if (Array.isArray(words)) return words[at];
  if (typeof words === 'function') return (...given: never[]) => words(...given)[at];
  return Object.fromEntries(Object.entries(words).map(([name, one]) => [name, inOne(one, at)]));
}

/** The text for a name that others choose, or the name itself if there is none. */
export function wordsFor(words: Record<string, string>, name: string): string {
  return Object.hasOwn(words, name) ? (words[name] as string) : name;
}
