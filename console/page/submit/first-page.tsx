import { useEffect, useRef, useState } from 'preact/hooks';
import { messages } from '../messages/language.ts';
import { LARGEST } from '../order/pdf.tsx';
import { size } from '../parts/format.ts';
import { type DrawFirstPage, viewerAnswer } from '../viewer/messages.ts';

type Drawn = { picture: string } | { why: 'broken' | 'encrypted' | 'empty' | 'large' | 'other' | 'undrawn' };

/** Pixels of a picture. It is shown in half of them. */
const MOST = { width: 240, height: 340 };
/** Milliseconds. A PDF that takes longer keeps the others waiting. */
const LONGEST = 30_000;

/** The first page of a document, small; or why it is not shown. It is drawn once it is in sight. */
export function FirstPage({ path, file }: { path: string; file: File | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<Drawn>();
  useEffect(() => {
    setDrawn(undefined);
    if (!file) return undefined;
    const stop = new AbortController();
    let isInSight = false;
    let isWaiting = false;
    const sight = new IntersectionObserver((entries) => {
      isInSight = entries.at(-1)?.isIntersecting ?? false;
      if (!isInSight || isWaiting) return;
      isWaiting = true;
      inTurn(async () => {
        isWaiting = false;
        if (!isInSight || stop.signal.aborted) return;
        sight.disconnect();
        const answer = await draw(file, stop.signal).catch((): Drawn => ({ why: 'undrawn' }));
        if (!stop.signal.aborted) setDrawn(answer);
      });
    });
    if (box.current) sight.observe(box.current);
    return () => {
      stop.abort();
      sight.disconnect();
    };
  }, [file]);
  const words = messages.value.submit.firstPage;
  return (
    <div class="first-page" ref={box} aria-busy={!drawn}>
      {drawn && 'picture' in drawn && <img src={drawn.picture} alt={words.of(path)} />}
      {drawn && 'why' in drawn && (drawn.why === 'large' ? words.large(size(LARGEST)) : words[drawn.why])}
    </div>
  );
}

let last = Promise.resolve();

/** One document at a time: many, or large ones, do not freeze the page. */
function inTurn(work: () => Promise<void>): void {
  last = last.then(work);
}

async function draw(file: File, signal: AbortSignal): Promise<Drawn> {
  if (file.size === 0) return { why: 'empty' };
  if (file.size > LARGEST) return { why: 'large' };
  if (file.type === 'application/pdf') return drawPdf(file, signal);
  return file.type.startsWith('image/') ? drawImage(file) : { why: 'other' };
}

async function drawImage(file: File): Promise<Drawn> {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, MOST.width / image.width, MOST.height / image.height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(image.width * scale));
  canvas.height = Math.max(1, Math.floor(image.height * scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return { picture: canvas.toDataURL('image/png') };
}

/** Draws in a frame of the PDF's own, which ends with the answer: no PDF learns of another one. */
async function drawPdf(file: File, signal: AbortSignal): Promise<Drawn> {
  const frame = document.createElement('iframe');
  Object.assign(frame, { src: '/viewer', className: 'hidden', title: file.name, tabIndex: -1, ariaHidden: 'true' });
  frame.sandbox.add('allow-scripts');
  const done = new AbortController();
  const over = AbortSignal.any([signal, done.signal, AbortSignal.timeout(LONGEST)]);
  const drawn = new Promise<Drawn>((resolve, reject) => {
    over.addEventListener('abort', reject);
    const hear = ({ source, data }: MessageEvent) => {
      const heard = source === frame.contentWindow ? viewerAnswer(data) : undefined;
      if (heard?.viewer === 'ready') hand(frame, file).catch(reject);
      if (heard?.viewer === 'drawn') resolve({ picture: heard.picture });
      if (heard?.viewer === 'failed') resolve({ why: heard.why === 'long' ? 'undrawn' : heard.why });
    };
    addEventListener('message', hear, { signal: over });
  });
  document.body.append(frame);
  return drawn.finally(() => {
    done.abort();
    frame.remove();
  });
}

async function hand(frame: HTMLIFrameElement, file: File): Promise<void> {
  const message: DrawFirstPage = { pdf: await file.arrayBuffer(), firstPage: MOST };
  frame.contentWindow?.postMessage(message, '*', [message.pdf]);
}
