/** Sentences of one language by code. One with parameters is a function. A problem has two lines: what is wrong, and how to fix it. */
export type Words = Record<string, string | ((params: never) => string)>;

/** The same sentences in another language. */
export type Translated<Of> = {
  [Code in keyof Of]: Of[Code] extends (params: infer Params) => string ? (params: Params) => string : string;
};

/** Each code with the parameters of its sentence. */
export type CodeOf<Of> = {
  [Code in keyof Of]: Of[Code] extends (params: infer Params) => string ? [code: Code, params: Params] : [code: Code];
}[keyof Of];

/** A sentence, as it is stored and sent. Without a code, it is only English text. */
export interface Coded {
  code?: string | undefined;
  params?: object | undefined;
}

/** The sentence for a code; undefined if this release does not know the code. */
export function say(words: Words, { code = '', params }: Coded): string | undefined {
  const found = Object.hasOwn(words, code) ? words[code] : undefined;
  return typeof found === 'function' ? params && found(params as never) : found;
}
