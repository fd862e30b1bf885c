/** What pdf.js otherwise fetches. The bundler puts it in here (console/server/viewer-file.ts): the frame may fetch nothing. */

/** The code of the worker that reads PDFs. */
export const WORKER: string = '';

/** The fonts that a PDF need not contain, by file name. */
export const FILES: Record<string, Uint8Array<ArrayBuffer>> = {};
