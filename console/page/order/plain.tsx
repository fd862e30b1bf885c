import { useEffect, useState } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { Notice } from '../parts/controls.tsx';
import { size as sizeOf } from '../parts/format.ts';
import { bytesOf, type CallFailed } from '../state/call.ts';
import { LARGEST, type Props } from './pdf.tsx';

/** A text or a picture, once all of it has come: of a document that differs from the record, the end never comes. */
export function Plain({ name, address, size, type }: Props & { type: string }) {
  const [shown, setShown] = useState<{ text?: string; picture?: string; problem?: string }>({});
  const isLarge = size > LARGEST;
  useEffect(() => {
    if (isLarge) return undefined;
    const stop = new AbortController();
    let picture: string | undefined;
    const show = (bytes: ArrayBuffer) => {
      if (type === 'text/plain') return setShown({ text: new TextDecoder().decode(bytes) });
      picture = URL.createObjectURL(new Blob([bytes], { type }));
      return setShown({ picture });
    };
    bytesOf(address, stop.signal, messages.value.pdf.brokenOff)
      .then(show)
      .catch((error: CallFailed) => stop.signal.aborted || setShown({ problem: error.message }));
    return () => {
      stop.abort();
      if (picture !== undefined) URL.revokeObjectURL(picture);
    };
  }, [address, isLarge, type]);
  const words = messages.value.pdf;
  const { text, picture, problem = isLarge ? words.large(sizeOf(LARGEST)) : undefined } = shown;
  return (
    <div class="plain" aria-busy={text === undefined && picture === undefined && problem === undefined}>
      <Notice words={problem} />
      {text !== undefined && <pre>{text}</pre>}
      {picture !== undefined && <img src={picture} alt={name} />}
    </div>
  );
}
