import {
  AnnotationMode,
  type PDFDocumentProxy,
  type PDFPageProxy,
  type RenderTask,
  TextLayer,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { ViewerWords } from './messages.ts';

/** Of one canvas: 64 MB. Some browsers draw nothing on a larger one. */
const MOST_PIXELS = 2 ** 24;
/** Of one side of a page, in CSS pixels. A PDF may ask for any. */
const LONGEST_SIDE = 16_384;

/** One page: a box of its size, and a canvas in it while the page is near. */
export class PageBox {
  readonly element = document.createElement('section');
  readonly #pdf: PDFDocumentProxy;
  readonly #position: number;
  readonly #words: ViewerWords;
  /** The page, or the first one, whose size stands for it until it is read. */
  #page: PDFPageProxy;
  #reading: Promise<void> | undefined;
  #isRead = false;
  #width = 0;
  #isNear = false;
  #task: RenderTask | undefined;
  #canvas: HTMLCanvasElement | undefined;

  constructor(pdf: PDFDocumentProxy, position: number, first: PDFPageProxy, words: ViewerWords) {
    this.#pdf = pdf;
    this.#position = position;
    this.#page = first;
    this.#words = words;
    const label = words.page.replace('{page}', `${position}`).replace('{pages}', `${pdf.numPages}`);
    this.element.setAttribute('aria-label', label);
  }

  /** Gives the page a width in CSS pixels. */
  resize(width: number): void {
    this.#width = width;
    const { width: ownWidth, height: ownHeight } = this.#page.getViewport({ scale: 1 });
    const scale = Math.min(width / ownWidth, LONGEST_SIDE / ownHeight);
    this.element.style.setProperty('--total-scale-factor', `${scale}`);
    this.element.style.width = `${ownWidth * scale}px`;
    this.element.style.height = `${ownHeight * scale}px`;
    if (this.#isNear) this.#draw(scale);
  }

  /** Draws the page when it comes near, and lets go of its canvas when it is far. */
  isNear(isNear: boolean): void {
    this.#isNear = isNear;
    if (isNear) this.read().then(() => this.resize(this.#width));
    else this.#clear();
  }

  /** Reads the page: its size and its text. A page that cannot be read says so in its box. */
  read(): Promise<void> {
    this.#reading ??= this.#read().catch((error: unknown) => this.#fail(error));
    return this.#reading;
  }

  async #read(): Promise<void> {
    this.#page = await this.#pdf.getPage(this.#position);
    this.#isRead = true;
    this.resize(this.#width);
    const container = document.createElement('div');
    container.className = 'textLayer';
    const viewport = this.#page.getViewport({ scale: 1 });
    await new TextLayer({ textContentSource: this.#page.streamTextContent(), container, viewport }).render();
    this.element.append(container);
  }

  #draw(scale: number): void {
    if (!this.#isRead) return;
    this.#clear();
    const { width, height } = this.#page.getViewport({ scale });
    const ratio = Math.min(
      devicePixelRatio,
      Math.sqrt(MOST_PIXELS / (width * height)),
      LONGEST_SIDE / Math.max(width, height),
    );
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.floor(width * ratio));
    canvas.height = Math.max(1, Math.floor(height * ratio));
    this.#canvas = canvas;
    this.element.prepend(canvas);
    const viewport = this.#page.getViewport({ scale: scale * ratio });
    // The values of a form are drawn as they are: whoever signs must see them. Nothing of it can be clicked.
    const task = this.#page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE });
    this.#task = task;
    task.promise.then(
      () => {
        canvas.dataset.drawn = '';
      },
      (error: unknown) => {
        if (this.#task === task) this.#fail(error);
      },
    );
  }

  #clear(): void {
    const task = this.#task;
    this.#task = undefined;
    task?.cancel();
    if (!this.#canvas) return;
    // Some browsers keep the memory of a canvas until it has no size.
    this.#canvas.width = 0;
    this.#canvas.height = 0;
    this.#canvas.remove();
    this.#canvas = undefined;
  }

  #fail(error: unknown): void {
    console.warn(error);
    this.#clear();
    this.#isRead = false;
    const said = document.createElement('p');
    said.textContent = this.#words.pageFailed;
    this.element.replaceChildren(said);
  }
}
