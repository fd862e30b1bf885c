/**
 * Shows one PDF, or draws its first page, in a frame that may run this script and nothing else: its origin is opaque, it reaches no address, and all
 * that it knows is the PDF. What a PDF could do (scripts, links, forms) pdf.js does only when it is asked to, and it is not.
 */
import {
  AnnotationMode,
  GlobalWorkerOptions,
  getDocument,
  InvalidPDFException,
  type PDFDocumentProxy,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type DrawFirstPage, pdfToShow, type ShowPdf, type ViewerAnswer, type WhyNotShown } from './messages.ts';
import { showPages } from './pages.ts';
import { FILES, WORKER } from './parts.ts';

/** People do not read more pages on a screen, and the browser can hold the boxes and texts of so many. */
const MOST_PAGES = 500;

const answer = (message: ViewerAnswer) => parent.postMessage(message, '*');

/** Gives pdf.js the files that this page holds, instead of fetching them. */
class HeldFiles {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const file = FILES[filename];
    if (file) return file.slice();
    // Tables of the characters of Asian fonts that the PDF does not contain: they are larger than all else here.
    answer({ viewer: 'incomplete' });
    throw new Error(`${filename} is not held.`);
  }
}

async function show({ pdf, title, words, language, colorScheme }: ShowPdf): Promise<void> {
  document.documentElement.lang = language;
  document.documentElement.style.colorScheme = colorScheme;
  document.title = title;
  const opened = await open(pdf);
  if ('why' in opened) return answer({ viewer: 'failed', pages: 0, ...opened });
  const { numPages: pages } = opened;
  if (pages === 0) return answer({ viewer: 'failed', why: 'empty', pages });
  if (pages > MOST_PAGES) return answer({ viewer: 'failed', why: 'long', pages });
  answer({ viewer: 'shown', pages });
  return showPages(opened, words);
}

async function draw({ pdf, firstPage }: DrawFirstPage): Promise<void> {
  const opened = await open(pdf);
  if ('why' in opened) return answer({ viewer: 'failed', pages: 0, ...opened });
  if (opened.numPages === 0) return answer({ viewer: 'failed', why: 'empty', pages: 0 });
  const page = await opened.getPage(1);
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: Math.min(firstPage.width / width, firstPage.height / height) });
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(viewport.width));
  canvas.height = Math.max(1, Math.floor(viewport.height));
  // As for a printer: the browser gives no time for a screen to a frame that is out of sight.
  await page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE, intent: 'print' }).promise;
  answer({ viewer: 'drawn', picture: canvas.toDataURL('image/png') });
}

async function open(pdf: ArrayBuffer): Promise<PDFDocumentProxy | { why: WhyNotShown }> {
  if (pdf.byteLength === 0) return { why: 'empty' };
  GlobalWorkerOptions.workerPort = new Worker(URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' })));
  try {
    return await getDocument({
      data: pdf,
      enableXfa: false,
      useSystemFonts: false,
      useWorkerFetch: false,
      useWasm: false,
      stopAtErrors: false,
      verbosity: VerbosityLevel.ERRORS,
      BinaryDataFactory: HeldFiles,
    }).promise;
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') return { why: 'encrypted' };
    if (!(error instanceof InvalidPDFException)) console.warn(error);
    return { why: 'broken' };
  }
}

const stop = new AbortController();
addEventListener(
  'message',
  ({ source, origin, data }) => {
    const asked = source === parent && origin === location.origin ? pdfToShow(data) : undefined;
    if (!asked) return;
    stop.abort();
    const work = 'firstPage' in asked ? draw(asked) : show(asked);
    work.catch((error: unknown) => {
      console.warn(error);
      answer({ viewer: 'failed', why: 'broken', pages: 0 });
    });
  },
  { signal: stop.signal },
);
answer({ viewer: 'ready' });
