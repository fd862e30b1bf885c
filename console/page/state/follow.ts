import { type CallFailed, eachLine } from './call.ts';

/** Milliseconds until a stream that broke off, or was refused, is requested again. */
const AGAIN_AFTER = 3_000;

/**
 * Follows a stream of the console's server while somebody sees the tab. Browsers open at most six connections to one server for all
 * tabs together, so tabs that nobody sees hold none. Each stream begins with everything, so nothing is missed.
 * @param onBroken called when the stream broke off, or was refused. It is requested again by itself.
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
    // A fault of the page is its own, and no broken stream.
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
