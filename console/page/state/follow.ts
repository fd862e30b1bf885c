import { type CallFailed, eachLine } from './call.ts';

/** Milliseconds until a broken or refused stream is requested again. */
const AGAIN_AFTER = 3_000;

/**
 * Follows a stream of the console's server while the tab is visible. Browsers open at most six connections to a server for all tabs
 * together, so hidden tabs use none. Each stream begins with the full state, so nothing is missed.
 * @param onBroken called when the stream broke or was refused. It is requested again automatically.
 * @returns a function that ends this.
 */
export function follow<Message>(
  path: string,
  onMessage: (message: Message) => void,
  onBroken: (refused?: CallFailed) => void,
): () => void {
  let stop = new AbortController();
  let again: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(again);
    stop.abort();
  };
  const open = async () => {
    close();
    if (document.hidden) return;
    stop = new AbortController();
    const { signal } = stop;
    // An error in the page's own code is not a broken stream.
    const take = (message: Message) => queueMicrotask(() => signal.aborted || onMessage(message));
    const failure = await eachLine(path, undefined, take, signal).catch((error: CallFailed) => error);
    if (signal.aborted) return;
    again = setTimeout(open, AGAIN_AFTER);
    onBroken(failure?.status ? failure : undefined);
  };
  document.addEventListener('visibilitychange', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
  };
}
