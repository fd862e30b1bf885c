/** The page runs only its own files, and no other page can show it in a frame. Its own frames show only PDFs from the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  'frame-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every answer. The browser caches nothing, because answers may contain personal data. */
export const HEADERS: Record<string, string> = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/** The body is saved under this name. RFC 6266. */
export function attachment(name: string): Record<string, string> {
  return { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}` };
}
