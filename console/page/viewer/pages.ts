import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { ViewerWords } from './messages.ts';
import { PageBox } from './page-box.ts';

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
/** What is left free beside a page, in CSS pixels: viewer.css has half of it on each side. */
const MARGIN = 16;

/** Lays the pages out below each other, as wide as the frame, and draws those that are near to what is seen. */
export async function showPages(pdf: PDFDocumentProxy, words: ViewerWords): Promise<void> {
  const main = document.createElement('main');
  const first = await pdf.getPage(1);
  const boxes = Array.from({ length: pdf.numPages }, (_box, at) => new PageBox(pdf, at + 1, first, words));
  main.append(...boxes.map(({ element }) => element));
  let factor = 1;
  const layOut = (wanted: number) => {
    factor = wanted;
    const { clientWidth, scrollTop, scrollHeight } = document.documentElement;
    for (const box of boxes) box.resize((clientWidth - MARGIN) * factor);
    scrollTo({ top: (scrollTop / scrollHeight) * document.documentElement.scrollHeight });
  };
  document.body.replaceChildren(zoomBar(words, layOut), main);
  layOut(1);
  addEventListener('resize', () => layOut(factor));
  drawNear(boxes);
  // Search and screen readers find the text of all pages, also of those that nobody has come to yet.
  for (const box of boxes) await box.read();
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

function zoomBar(words: ViewerWords, onZoom: (factor: number) => void): HTMLElement {
  const bar = document.createElement('header');
  const value = document.createElement('output');
  let zoom = ZOOMS.indexOf(1);
  const show = () => {
    value.textContent = `${Math.round((ZOOMS[zoom] ?? 1) * 100)} %`;
  };
  const button = (title: string, textContent: string, step: number) => {
    const made = Object.assign(document.createElement('button'), { type: 'button', title, textContent });
    made.setAttribute('aria-label', title);
    made.addEventListener('click', () => {
      zoom = Math.max(0, Math.min(ZOOMS.length - 1, zoom + step));
      show();
      onZoom(ZOOMS[zoom] ?? 1);
    });
    return made;
  };
  value.setAttribute('aria-label', words.zoom);
  show();
  bar.append(button(words.smaller, '−', -1), value, button(words.larger, '+', 1));
  return bar;
}
