/** Sentences of one language by code. One that names something is a function. A problem has two lines: what is wrong, and how to fix it. */
export type Words = Record<string, string | ((params: never) => string)>;

/** The same sentences in another language. */
export type Translated<Of> = {
  [Code in keyof Of]: Of[Code] extends (params: infer Params) => string ? (params: Params) => string : string;
};

/** Each code with what its sentence must be given. */
export type CodeOf<Of> = {
  [Code in keyof Of]: Of[Code] extends (params: infer Params) => string ? [code: Code, params: Params] : [code: Code];
}[keyof Of];

/** A sentence, as it is stored and sent. Without a code, it has English words alone. */
export interface Coded {
  code?: string | undefined;
  params?: object | undefined;
}

/** The sentence of a code; undefined if these words lack it, because another release wrote it. */
export function say(words: Words, { code = '', params }: Coded): string | undefined {
  const found = Object.hasOwn(words, code) ? words[code] : undefined;
  return typeof found === 'function' ? params && found(params as never) : found;
}
