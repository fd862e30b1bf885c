/** Words in English and in Russian. Forms of a noun are separated by `|`: English has two, Russian three. */
export type Both = [english: string, russian: string];

/** Words of the page by name. Some say something of what they are given. */
export interface Said {
  [name: string]: Both | ((...given: never[]) => Both) | Said;
}

/** The same words in one language. */
export type InOne<Words> = Words extends Both
  ? string
  : Words extends (...given: infer Given) => Both
    ? (...given: Given) => string
    : { [Name in keyof Words]: InOne<Words[Name]> };

/** @param at the place of the language in `Both`. */
export function inOne<Words>(words: Words, at: 0 | 1): InOne<Words>;
export function inOne(words: Said[string], at: 0 | 1): unknown {
  if (Array.isArray(words)) return words[at];
  if (typeof words === 'function') return (...given: never[]) => words(...given)[at];
  return Object.fromEntries(Object.entries(words).map(([name, one]) => [name, inOne(one, at)]));
}

/** The words for a name that others choose. A name without words stands for itself. */
export function wordsFor(words: Record<string, string>, name: string): string {
  return Object.hasOwn(words, name) ? (words[name] as string) : name;
}
