import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { language, messages } from '../messages/language.ts';
import { Notice } from '../parts/controls.tsx';
import { form, size as sizeOf } from '../parts/format.ts';
import { bytesOf, CallFailed } from '../state/call.ts';
import { type ShowPdf, type ViewerAnswer, viewerAnswer } from '../viewer/messages.ts';

export interface Props {
  name: string;
  address: string;
  size: number;
}

/** The whole PDF is in memory twice: in the page while it is handed over, and in the frame. */
export const LARGEST = 50_000_000;

/** A PDF in a frame of its own, which gets its bytes and can reach nothing else. If it cannot be shown, a sentence says why. */
export function Pdf({ name, address, size }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [answer, setAnswer] = useState<ViewerAnswer>();
  const [isIncomplete, setIncomplete] = useState(false);
  const [refused, setRefused] = useState<string>();
  const loads = useRef(0);
  // A frame that has left the PDF would show something else under the PDF's name.
  const load = () => {
    loads.current += 1;
    if (loads.current > 1) setAnswer({ viewer: 'failed', why: 'broken', pages: 0 });
  };
  const isLarge = size > LARGEST;
  // Before the frame can say that it is ready: effects run only after the next frame of the screen.
  useLayoutEffect(() => {
    if (isLarge) return undefined;
    const stop = new AbortController();
    let isHanded = false;
    const bytes = bytesOf(address, stop.signal, messages.value.pdf.brokenOff);
    const refuse = (error: unknown) => {
      if (stop.signal.aborted) return;
      if (!(error instanceof CallFailed)) throw error;
      setRefused(error.message);
    };
    const hear = ({ source, data }: MessageEvent) => {
      const heard = source === frame.current?.contentWindow ? viewerAnswer(data) : undefined;
      if (heard?.viewer === 'ready' && !isHanded) {
        isHanded = true;
        bytes.then((pdf) => hand(frame.current, name, pdf)).catch(refuse);
      }
      if (heard?.viewer === 'incomplete') setIncomplete(true);
      else if (heard && heard.viewer !== 'ready') setAnswer(heard);
    };
    addEventListener('message', hear, { signal: stop.signal });
    bytes.catch(refuse);
    return () => stop.abort();
  }, [address, isLarge, name]);
  const words = messages.value.pdf;
  const problem = isLarge ? words.large(sizeOf(LARGEST)) : (refused ?? problemOf(answer));
  return (
    <div class="pdf">
      <div role="status">
        <Notice words={problem} />
        <Notice tone="people" words={problem === undefined && isIncomplete ? words.incomplete : undefined} />
        {problem === undefined && (
          <p class="faint">{answer?.viewer === 'shown' ? form(answer.pages, words.pages) : words.opening}</p>
        )}
      </div>
      {problem === undefined && (
        <iframe
          ref={frame}
          title={name}
          src="/viewer"
          sandbox="allow-scripts"
          referrerpolicy="no-referrer"
          onLoad={load}
        />
      )}
    </div>
  );
}

/** An opaque origin has no name, so the message goes to whatever the frame holds: the frame can only be at this server. */
function hand(frame: HTMLIFrameElement | null, title: string, pdf: ArrayBuffer): void {
  const { colorScheme } = getComputedStyle(document.documentElement);
  const message: ShowPdf = { pdf, title, words: messages.value.pdf.frame, language: language.value, colorScheme };
  frame?.contentWindow?.postMessage(message, '*', [pdf]);
}

function problemOf(answer: ViewerAnswer | undefined): string | undefined {
  if (answer?.viewer !== 'failed') return undefined;
  const { failed, pages } = messages.value.pdf;
  return failed[answer.why].replace('{pages}', form(answer.pages, pages));
}
