/** The messages between the page and the frame that shows a PDF. Each checks that a message has one of these shapes. */

/** The words in the frame. `{page}` and `{pages}` are replaced. */
export interface ViewerWords {
  page: string;
  pageFailed: string;
  zoom: string;
  larger: string;
  smaller: string;
}

/** The page hands over the bytes of a PDF, once. */
export interface ShowPdf {
  pdf: ArrayBuffer;
  title: string;
  words: ViewerWords;
  language: string;
  /** The CSS value: the colours that the page has. */
  colorScheme: string;
}

/** The page asks for a picture of the first page alone, no larger than this many pixels. */
export interface DrawFirstPage {
  pdf: ArrayBuffer;
  firstPage: { width: number; height: number };
}

export type WhyNotShown = 'broken' | 'encrypted' | 'empty' | 'long';

/** The frame's answer: it is ready, the PDF is shown, its first page is drawn (an address that holds the picture), something is missing in it, or why it is not shown. */
export type ViewerAnswer =
  | { viewer: 'ready' }
  | { viewer: 'shown'; pages: number }
  | { viewer: 'drawn'; picture: string }
  | { viewer: 'incomplete' }
  | { viewer: 'failed'; why: WhyNotShown; pages: number };

const PICTURE = 'data:image/png;base64,';
const REASONS: unknown[] = ['broken', 'encrypted', 'empty', 'long'] satisfies WhyNotShown[];

/** A message of the frame, if it is one. The frame holds foreign content, and what it sends is checked as such. */
export function viewerAnswer(data: unknown): ViewerAnswer | undefined {
  const { viewer, pages = 0, why, picture } = (data ?? {}) as Record<string, unknown>;
  if (viewer === 'ready' || viewer === 'incomplete') return { viewer };
  if (viewer === 'drawn') return `${picture}`.startsWith(PICTURE) ? { viewer, picture: `${picture}` } : undefined;
  if (typeof pages !== 'number' || !Number.isSafeInteger(pages) || pages < 0) return undefined;
  if (viewer === 'shown') return { viewer, pages };
  return viewer === 'failed' && REASONS.includes(why) ? { viewer, why: why as WhyNotShown, pages } : undefined;
}

/** The bytes to show, if a message of the page has some. */
export function pdfToShow(data: unknown): ShowPdf | DrawFirstPage | undefined {
  return data !== null && typeof data === 'object' && 'pdf' in data && data.pdf instanceof ArrayBuffer
    ? (data as ShowPdf | DrawFirstPage)
    : undefined;
}
