/** What pdf.js otherwise fetches. The bundler puts it in here (console/server/viewer-file.ts): the frame may fetch nothing. */

/** The code of the worker that reads PDFs. */
export const WORKER: string = '';

/** Fonts that PDFs need not contain, and the decoders of scanned images, by file name. */
export const FILES: Record<string, Uint8Array<ArrayBuffer>> = {};
