import {
  AnnotationMode,
  OutputScale,
  type PDFDocumentProxy,
  type PDFPageProxy,
  type RenderTask,
  TextLayer,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { ViewerWords } from './messages.ts';

/** Pixels of one canvas: 64 MB. Some browsers draw nothing on a larger one. */
const MOST_PIXELS = 2 ** 24;
/** CSS pixels of one side of a page. A PDF may claim any size. */
const LONGEST_SIDE = 16_384;

/** One page: a box of its size, and a canvas in it while the page is near. */
export class PageBox {
  readonly element = document.createElement('section');
  readonly #words: ViewerWords;
  readonly #open: () => Promise<PDFPageProxy>;
  /** The page. Until it is read, the first page, which gives its size. */
  #page: PDFPageProxy;
  #reading: Promise<void> | undefined;
  #isRead = false;
  #width = 0;
  #isNear = false;
  #task: RenderTask | undefined;
  #canvas: HTMLCanvasElement | undefined;

  constructor(pdf: PDFDocumentProxy, position: number, first: PDFPageProxy, words: ViewerWords) {
    this.#open = () => pdf.getPage(position);
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
    const { style } = this.element;
    style.setProperty('--total-scale-factor', `${scale}`);
    style.width = `${ownWidth * scale}px`;
    style.height = `${ownHeight * scale}px`;
    if (this.#isNear && this.#isRead) this.#draw(scale);
  }

  /** Draws the page when it is near the visible part, and frees its canvas when it is not. */
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
    this.#page = await this.#open();
    this.#isRead = true;
    this.resize(this.#width);
    const container = document.createElement('div');
    container.className = 'textLayer';
    const viewport = this.#page.getViewport({ scale: 1 });
    await new TextLayer({ textContentSource: this.#page.streamTextContent(), container, viewport }).render();
    this.element.append(container);
  }

  #draw(scale: number): void {
    const { width, height } = this.#page.getViewport({ scale });
    const output = new OutputScale();
    output.limitCanvas(width, height, MOST_PIXELS, LONGEST_SIDE);
    const size = {
      width: Math.max(1, Math.floor(width * output.sx)),
      height: Math.max(1, Math.floor(height * output.sy)),
    };
    // It is drawn like this already, or is being drawn: it would only be empty meanwhile.
    if (this.#canvas?.width === size.width && this.#canvas.height === size.height) return;
    this.#clear();
    const canvas = Object.assign(document.createElement('canvas'), size);
    this.#canvas = canvas;
    this.element.prepend(canvas);
    const viewport = this.#page.getViewport({ scale: scale * output.sx });
    // The values of a form are drawn, because whoever signs must see them. Nothing can be clicked.
    const task = this.#page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE });
    this.#task = task;
    task.promise.then(
      () => canvas.setAttribute('data-drawn', ''),
      (error: unknown) => this.#task === task && this.#fail(error),
    );
  }

  #clear(): void {
    const [task, canvas] = [this.#task, this.#canvas];
    this.#task = undefined;
    this.#canvas = undefined;
    task?.cancel();
    // Some browsers keep the memory of a canvas until it has no size.
    if (canvas) Object.assign(canvas, { width: 0, height: 0 }).remove();
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
