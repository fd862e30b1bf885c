import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { ViewerWords } from './messages.ts';
import { PageBox } from './page-box.ts';

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
const NO_ZOOM = ZOOMS.indexOf(1);
/** What is left free beside a page, in CSS pixels: viewer.css has half of it on each side. */
const MARGIN = 16;

/** Lays the pages out below each other, as wide as the frame, and draws those that are near to what is seen. */
export async function showPages(pdf: PDFDocumentProxy, words: ViewerWords): Promise<void> {
  const main = document.createElement('main');
  const first = await pdf.getPage(1);
  const boxes = Array.from({ length: pdf.numPages }, (_box, at) => new PageBox(pdf, at + 1, first, words));
  let zoom = NO_ZOOM;
  const layOut = () => {
    const { clientWidth, scrollTop, scrollHeight } = document.documentElement;
    for (const box of boxes) box.resize((clientWidth - MARGIN) * (ZOOMS[zoom] ?? 1));
    scrollTo({ top: (scrollTop / scrollHeight) * document.documentElement.scrollHeight });
  };
  main.append(...boxes.map(({ element }) => element));
  document.body.replaceChildren(
    zoomBar(words, (step) => {
      zoom = Math.max(0, Math.min(ZOOMS.length - 1, zoom + step));
      layOut();
      return ZOOMS[zoom] ?? 1;
    }),
    main,
  );
  layOut();
  addEventListener('resize', layOut);
  drawNear(boxes);
  // Search and screen readers find the text of all pages, also of those that nobody has come to yet.
  readAll(boxes);
}

function drawNear(boxes: PageBox[]): void {
  const boxOf = new Map(boxes.map((box) => [box.element as Element, box]));
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) boxOf.get(target)?.isNear(isIntersecting);
    },
    // A margin counts in this frame only if the frame's own document is the root.
    { root: document, rootMargin: '100% 0%' },
  );
  for (const { element } of boxes) seen.observe(element);
}

async function readAll(boxes: PageBox[]): Promise<void> {
  for (const box of boxes) await box.read();
}

function zoomBar(words: ViewerWords, onStep: (step: number) => number): HTMLElement {
  const bar = document.createElement('header');
  const value = document.createElement('output');
  const show = (factor: number) => {
    value.textContent = `${Math.round(factor * 100)} %`;
  };
  const button = (label: string, sign: string, step: number) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = sign;
    made.setAttribute('aria-label', label);
    made.title = label;
    made.addEventListener('click', () => show(onStep(step)));
    return made;
  };
  value.setAttribute('aria-label', words.zoom);
  show(1);
  bar.append(button(words.smaller, '−', -1), value, button(words.larger, '+', 1));
  return bar;
}
