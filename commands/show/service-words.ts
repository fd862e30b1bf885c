import { isAccessDenied, problemOf } from '../failure.ts';
import type { Connection } from '../stage/connection.ts';
import type { KeptWords } from '../stage/service-words.ts';
import { cut, plain, time } from '../text.ts';

/** The answers, or why they cannot be shown. */
export type SeenWords = KeptWords | { denied: string };

/** `--json` and the file in staging have all of it. */
const LONGEST_SHOWN = 1_000;

/** The order service's own words. Whoever may not read them sees the rest of the order. */
export async function seenWords({ serviceWords }: Connection, orderRef: string): Promise<SeenWords> {
  try {
    return await serviceWords(orderRef);
  } catch (error) {
    if (isAccessDenied(error as Error)) return { denied: problemOf(error as Error, 'AWS') };
    throw error;
  }
}

/** The lines of `show`. An order without such answers has none. */
export function wordsSection(words: SeenWords): string[] {
  const title = ['', "The order service's words"];
  if ('denied' in words) return [...title, `  They are not shown. ${words.denied}`];
  if (words.newest.length === 0) return [];
  const more = words.more > 0 ? [`  Older ones are in staging, below errors/: ${words.more}.`] : [];
  const answers = words.newest.flatMap(({ at, error, httpStatus, requestReference, body = '' }) => [
    `  ${plain([time(at), error, httpStatus && `HTTP ${httpStatus}`, requestReference && `request ${requestReference}`].filter(Boolean).join(', '))}`,
    `    ${cut(plain(body), LONGEST_SHOWN) || '(no words)'}`,
  ]);
  return [...title, ...answers, ...more];
}

/** The same for scripts. */
export function wordsFacts(words: SeenWords) {
  return 'denied' in words ? { serviceWordsDenied: words.denied } : { serviceWords: words.newest };
}
