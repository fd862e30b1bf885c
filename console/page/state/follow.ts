import { ask, type CallFailed } from './call.ts';

/**
 * Asks the console's server again and again while the tab is visible. No connection is held: browsers open at most six to a server, for all
 * windows together.
 * @param path with what is known already.
 * @param onAnswer not called for an answer that the page has.
 * @param onFailed called each time that the server refuses or does not answer.
 * @param isOnce asks only until there is an answer.
 * @returns a function that ends this.
 */
export function follow<Answer>(
  path: () => string,
  onAnswer: (answer: Answer) => void,
  onFailed: (failed: CallFailed) => void,
  isOnce = false,
): () => void {
  let stop = new AbortController();
  let again: ReturnType<typeof setTimeout> | undefined;
  const seen = { path: '', tag: '' };
  const close = () => {
    clearTimeout(again);
    stop.abort();
  };
  const look = async () => {
    close();
    if (document.hidden || (isOnce && seen.tag !== '')) return;
    stop = new AbortController();
    const { signal } = stop;
    // An error in the page's own code is not a failure of the server.
    const take = (answer: Answer) => queueMicrotask(() => signal.aborted || onAnswer(answer));
    await ask<Answer>(path(), seen, signal).then(
      (answer) => answer !== undefined && take(answer),
      (failed: CallFailed) => {
        seen.tag = '';
        if (!signal.aborted) onFailed(failed);
      },
    );
    if (!signal.aborted) again = setTimeout(look, pace.lookEvery);
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    close();
  };
}

/** Milliseconds, from the stage once it is known. */
export const pace = { lookEvery: 1_000 };
