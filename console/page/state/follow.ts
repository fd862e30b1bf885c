/** Milliseconds until a refused stream is requested again. */
const AGAIN_AFTER = 5_000;

/**
 * Follows a stream of the console's server while somebody sees the tab. Browsers open at most six connections to one server for all
 * tabs together, so tabs that nobody sees hold none. Each stream begins with everything, so nothing is missed.
 * @param onBroken called when the stream broke off. The browser, or a timer, opens it again.
 * @returns a function that ends this.
 */
export function follow<Message>(path: string, onMessage: (message: Message) => void, onBroken = () => {}): () => void {
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
    opened.onerror = () => {
      onBroken();
      // A refusal ends the stream for good; an answer that broke off does not.
      if (opened.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_AFTER);
    };
  };
  document.addEventListener('visibilitychange', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
  };
}
