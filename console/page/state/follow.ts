import { type CallFailed, refusalOf } from './call.ts';

/** Milliseconds until a refused stream is requested again. */
const AGAIN_AFTER = 5_000;

type OnBroken = (refused?: CallFailed) => void;

/**
 * Follows a stream of the console's server while somebody sees the tab. Browsers open at most six connections to one server for all
 * tabs together, so tabs that nobody sees hold none. Each stream begins with everything, so nothing is missed.
 * @param onBroken called when the stream broke off, or was refused. The browser, or a timer, opens it again.
 * @returns a function that ends this.
 */
export function follow<Message>(
  path: string,
  onMessage: (message: Message) => void,
  onBroken: OnBroken = () => {},
): () => void {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(again);
    source?.close();
  };
  const open = () => {
    close();
    if (document.hidden) return;
    const opened = new EventSource(path);
    source = opened;
    opened.onmessage = ({ data }) => onMessage(JSON.parse(data as string) as Message);
    opened.onerror = async () => {
      // A refusal ends the stream for good; an answer that broke off does not. A stream never says why it was refused.
      if (opened.readyState !== EventSource.CLOSED) return onBroken();
      again = setTimeout(open, AGAIN_AFTER);
      const refused = await refusalOf(path);
      if (source === opened) onBroken(refused);
    };
  };
  document.addEventListener('visibilitychange', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
  };
}
