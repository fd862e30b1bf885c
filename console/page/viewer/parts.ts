/** What pdf.js usually fetches. The bundler inserts it here (console/server/viewer-file.ts), because the frame may fetch nothing. */

/** The code of the worker that reads PDFs. */
export const WORKER: string = '';

/** The fonts that a PDF need not contain, by file name. */
export const FILES: Record<string, Uint8Array<ArrayBuffer>> = {};
