import type { LoggedFacts } from '../../core/errors.ts';
import { identifierProblem } from '../../core/order-service/order-answer.ts';
import type { StageConnection } from './connection.ts';
import { isAccessDenied, problemOf } from './failure.ts';
import { plain, time, truncate } from './text.ts';

/** The order service's refusal, or an unusable answer, with the facts of the call. */
interface ServiceWords extends LoggedFacts {
  /** The key in staging. */
  key: string;
  at: string;
  error: string;
  message: string;
  intent?: unknown;
  location?: string;
  /** The answer's text, at most 64 KiB. It may contain data of the order. */
  body: string;
}

/** The newest answers, newest first, and how many older ones staging has; or why they cannot be shown. */
export type SeenWords = { newest: ServiceWords[]; more: number } | Denied;

const MOST_SHOWN = 3;
/** `--json` and the file in staging have the full text. */
const LONGEST_SHOWN = 1_000;

export interface Denied {
  denied: string;
}

/** Without the right to read a part of staging, the rest of the order is still shown. */
export async function orDenied<Seen>(work: () => Promise<Seen>): Promise<Seen | Denied> {
  try {
    return await work();
  } catch (error) {
    if (isAccessDenied(error as Error)) return { denied: problemOf(error as Error, 'AWS') };
    throw error;
  }
}

/** The order service's answers, which functions staged under `errors/`. */
export function seenWords({ buckets }: StageConnection, orderRef: string): Promise<SeenWords> {
  return orDenied(async () => {
    const staging = await buckets();
    // The names begin with the time.
    const names = (await staging.stagedNames(orderRef, 'errors/')).reverse();
    const read = async (name: string) => {
      const words = await staging.staged<Omit<ServiceWords, 'key'>>(orderRef, name);
      return words && { ...words, key: `orders/${orderRef}/${name}` };
    };
    const newest = await Promise.all(names.slice(0, MOST_SHOWN).map(read));
    return { newest: newest.filter((words) => words !== undefined), more: Math.max(0, names.length - MOST_SHOWN) };
  });
}

/** The orderId that the `Location` of an answer to the creation suggests (RFC 9110, 15.3.2): its last segment. */
export async function orderIdInAnswer(connection: StageConnection, orderRef: string): Promise<string | undefined> {
  const words = await seenWords(connection, orderRef);
  const created = 'denied' in words ? undefined : words.newest.find(({ operation }) => operation === 'create');
  const [, orderId = ''] = /([^/?#]+)\/?(?:[?#].*)?$/.exec(created?.location ?? '') ?? [];
  return identifierProblem(orderId) === undefined ? plain(orderId) : undefined;
}

/** The lines of `show`. Empty for an order without such answers. */
export function wordsSection(words: SeenWords, longest = LONGEST_SHOWN): string[] {
  const title = ['', "The order service's words"];
  if ('denied' in words) return [...title, `  They are not shown. ${words.denied}`];
  if (words.newest.length === 0) return [];
  const more = words.more > 0 ? [`  Older ones are in staging, below errors/: ${words.more}.`] : [];
  const answers = words.newest.flatMap(
    ({ key: _key, at, error, message: _message, intent: _intent, body = '', ...call }) => [
      `  ${plain([time(at), error, ...callWords(call)].join(', '))}`,
      `    ${truncate(plain(body), longest) || '(no words)'}`,
    ],
  );
  return [...title, ...answers, ...more];
}

/** The same for scripts. */
export function wordsFacts(words: SeenWords) {
  return 'denied' in words ? { serviceWordsDenied: words.denied } : { serviceWords: words.newest };
}

/** The facts of a call. Names are the same as in logs: `httpStatus 422`. */
export function callWords(facts: LoggedFacts): string[] {
  return Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
}
