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
  const bar = zoomBar(words, layOut);
  bar.prepend(pageField(boxes, words));
  document.body.replaceChildren(bar, main);
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

/** Says which page is in the middle of what is seen, marks it, and goes to the page that is typed. */
function pageField(boxes: PageBox[], words: ViewerWords): HTMLElement {
  const pages = boxes.map(({ element }) => element);
  let current = 0;
  const type = { type: 'number', min: '1', max: `${pages.length}` };
  const field = Object.assign(document.createElement('input'), type);
  const show = (at: number) => {
    pages[current]?.removeAttribute('aria-current');
    pages[at]?.setAttribute('aria-current', 'page');
    current = at;
    field.value = `${at + 1}`;
  };
  field.addEventListener('change', () => {
    const wanted = pages[field.valueAsNumber - 1];
    wanted?.scrollIntoView();
    show(wanted ? pages.indexOf(wanted) : current);
  });
  const seen = new IntersectionObserver(
    (entries) => {
      const middle = entries.find(({ isIntersecting }) => isIntersecting);
      if (middle) show(pages.indexOf(middle.target as HTMLElement));
    },
    { root: document, rootMargin: '-50% 0%' },
  );
  for (const page of pages) seen.observe(page);
  show(0);
  const [before = '', after = ''] = words.page.replace('{pages}', `${pages.length}`).split('{page}');
  const label = document.createElement('label');
  label.append(before, field, after);
  return label;
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
