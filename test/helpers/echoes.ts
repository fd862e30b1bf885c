/** A secret with each kind of character that is escaped somewhere. */
export const CLIENT_SECRET = 's%c&r=t +ü/"\\<x>~secret';

const CHARACTERS = [
  (code: number) => `&#${code};`,
  (code: number) => `&#x${code.toString(16).toUpperCase()};`,
  (code: number) => `\\u${code.toString(16).padStart(4, '0')}`,
];

/** A text in each form in which a page may show it. */
export function formsOf(text: string): string[] {
  const url = encodeURIComponent(text);
  const form = new URLSearchParams({ text }).toString().slice('text='.length);
  const json = JSON.stringify(text).slice(1, -1);
  const inBase64 = [text, url, form, json].flatMap((one) =>
    [one, `:${one}`, `a:${one}`].map((all) => Buffer.from(all)),
  );
  const escaped = CHARACTERS.map((write) => text.replace(/\W/g, (character) => write(character.charCodeAt(0))));
  return [
    ...[text, url, url.replace(/%../g, (byte) => byte.toLowerCase()), encodeURIComponent(url), form],
    ...[json, JSON.stringify(json).slice(1, -1), ...escaped],
    ...inBase64.flatMap((bytes) => [bytes.toString('base64'), bytes.toString('base64url')]),
  ];
}

/** The beginnings and ends of these secrets that a text shows in some form, also as part of JSON. */
export function shownIn(text: string, secrets: readonly string[]): string[] {
  const texts = text + text.replace(/\\(["\\])/g, '$1');
  const parts = new Set(secrets.flatMap(formsOf).flatMap((form) => [form.slice(0, 16), form.slice(-16)]));
  return [...parts].filter((part) => texts.includes(part));
}
