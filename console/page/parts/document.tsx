import { useEffect, useState } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { bytesOf } from '../state/call.ts';
import { Notice } from './controls.tsx';
import { size as sizeOf } from './format.ts';

/** A larger document would take too much of the browser's memory. Bytes. */
const LARGEST = 50_000_000;

/** Types that are displayed, because they cannot run scripts in the page. Others can only be downloaded. */
const SHOWN = /^(image\/(png|jpeg|gif|webp)|text\/plain|application\/pdf)\b/;

/** The type to display a document as; undefined if it is not displayed. Some browsers have no PDF viewer. */
export function shownType(contentType: string): string | undefined {
  const [type] = SHOWN.exec(contentType.toLowerCase()) ?? [];
  return type === 'application/pdf' && !navigator.pdfViewerEnabled ? undefined : type;
}

interface Props {
  name: string;
  /** The result of {@link shownType}. */
  type: string;
  size: number;
  source: File | string;
}

/** A text, a picture or a PDF, displayed when complete. A document that differs from the record never completes. */
export function ShownDocument({ name, type, size, source }: Props) {
  const [shown, setShown] = useState<{ text?: string; address?: string; problem?: string }>({});
  const words = messages.value.document;
  const isLarge = size > LARGEST;
  useEffect(() => {
    if (isLarge) return undefined;
    const stop = new AbortController();
    let address: string | undefined;
    const show = (bytes: ArrayBuffer) => {
      if (stop.signal.aborted) return;
      if (type === 'text/plain') return setShown({ text: new TextDecoder().decode(bytes) });
      if (type === 'application/pdf' && !isPdf(bytes)) return setShown({ problem: words.broken });
      // We set the type, so the browser never treats the bytes as something else, such as a web page.
      address = URL.createObjectURL(new Blob([bytes], { type }));
      return setShown({ address });
    };
    const read = typeof source === 'string' ? bytesOf(source, stop.signal) : source.arrayBuffer();
    read.then(show).catch((error: Error) => stop.signal.aborted || setShown({ problem: error.message }));
    return () => {
      stop.abort();
      if (address !== undefined) URL.revokeObjectURL(address);
    };
  }, [source, isLarge, type]);
  const { text, address, problem = isLarge ? words.large(sizeOf(LARGEST)) : undefined } = shown;
  const isPicture = type.startsWith('image/');
  return (
    <div class="document" aria-busy={text === undefined && address === undefined && problem === undefined}>
      <div role="status">
        <Notice words={problem} />
      </div>
      {text !== undefined && <pre>{text}</pre>}
      {address !== undefined && (isPicture ? <img src={address} alt={name} /> : <iframe src={address} title={name} />)}
    </div>
  );
}

/** Whether these bytes are a complete PDF. A few bytes may follow its end. */
function isPdf(bytes: ArrayBuffer): boolean {
  const text = (part: ArrayBuffer) => new TextDecoder('latin1').decode(part);
  return text(bytes.slice(0, 5)) === '%PDF-' && text(bytes.slice(-1024)).includes('%%EOF');
}
