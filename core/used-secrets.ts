/**
 * The secrets that this environment has used, the latest last. An answer may quote the request, as debug pages do, or an earlier one with a
 * token or client secret that was replaced since.
 */
const used = new Map<string, { signs: string[]; patterns: RegExp[] }>();
const MOST_SECRETS = 12;
/** Characters. A shorter text could be part of any word. */
const SHORTEST = 6;

export const REMOVED = '***';

/** {@link withoutSecrets} removes this secret from now on. */
export function hideSecret(text: string): void {
  const secret = text.trim();
  if (secret.length < SHORTEST) return;
  const known = used.get(secret) ?? { signs: signsOf(secret), patterns: patternsOf(secret) };
  used.delete(secret);
  used.set(secret, known);
  for (const oldest of used.keys()) if (used.size > MOST_SECRETS) used.delete(oldest);
}

/** Removes the used secrets, also if escaped for a URL, JSON or HTML, or truncated, and Base64 that contains one. */
export function withoutSecrets(text: string, shortest = SHORTEST): string {
  const has = (within: string) => (sign: string) => within.includes(sign);
  const long = [...used].filter(([{ length }]) => length >= shortest).map(([, known]) => known);
  const seen = long.filter(({ signs }) => signs.some(has(text)));
  if (seen.length === 0) return text;
  const shows = (decoded: string) => withoutSecrets(decoded, shortest) !== decoded;
  const readable = text.replace(/[\w+/-]{8,65536}/g, (run) => {
    if (!seen.some(({ signs }) => signs.slice(1).some(has(run)))) return run;
    const decoded = [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1'));
    return decoded.some(shows) ? REMOVED : run;
  });
  // A short secret may be part of a long one.
  const patterns = seen.flatMap((known) => known.patterns).sort((a, b) => b.source.length - a.source.length);
  return patterns.reduce((rest, pattern) => rest.replace(pattern, REMOVED), readable);
}

/** Signs of a secret: any text that shows its first 8 characters contains one. Letters and digits are never escaped. */
function signsOf(secret: string): string[] {
  const [word = ''] = /[a-z\d]{4,}/i.exec(secret.slice(0, 8)) ?? [];
  const at = (start: number, part: string) => Buffer.from(' '.repeat(start) + part).toString('base64');
  const inBase64 = (part: string) =>
    [0, 2, 3].map((cut, start) =>
      at(start, part)
        .slice(cut)
        .replace(/[^=]=+$/, ''),
    );
  return [word, ...inBase64(word), ...inBase64(word).flatMap(inBase64)];
}

/** Patterns of pieces of the secret, also if the text is cut after 8 characters of one. A whole token would overflow V8's stack. */
function patternsOf(secret: string): RegExp[] {
  const cut = String.raw`(?=(?:[%&\\\ufffd][\w#;%&\\]{0,24})?(?:\.{3}|…|$))`;
  return (secret.match(/.{32,63}$|.{32}|.+/gs) ?? []).map((piece) => {
    const forms = [...piece].map(formsOf).map((form, index) => (index < 8 ? form : `(?:${form}|${cut})`));
    return new RegExp(forms.join(''), 'gi');
  });
}

/** A pattern of a character as it is, escaped, also more than once, or read in a wrong character set. */
function formsOf(character: string): string {
  if (/[a-z\d]/i.test(character)) return character;
  const each = (before: string, codes: number[], length: number) =>
    codes.map((code) => before + code.toString(16).padStart(length, '0')).join('');
  const bytes = [...Buffer.from(character)];
  const units = character.split('').map((unit) => unit.charCodeAt(0));
  const plain = `${character === ' ' ? '\\+' : '\ufffd'}|${each('\\x', bytes, 2)}|${each('\\u', units, 4)}`;
  const entity = `#0{0,4}${character.codePointAt(0)}|#x0{0,4}${character.codePointAt(0)?.toString(16)}|[a-z]{1,9}`;
  const escaped = `${each('%(?:25){0,4}', bytes, 2)}|${each('\\\\u', units, 4)}|&(?:amp;){0,4}(?:${entity});`;
  return String.raw`(?:\\(?:u005c)?|%(?:25){0,4}5c){0,16}(?:${plain}|${escaped})`;
}
