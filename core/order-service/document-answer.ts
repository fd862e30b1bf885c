import { once } from 'node:events';
import type { HttpResponse } from '../http/http.ts';

/** Why the answer to a download is no document, as the end of a sentence; undefined if it may be one. Reads nothing of its body. */
export async function problemOfDocument({ headers, body }: HttpResponse, accepted: readonly string[]) {
  const [type = ''] = (headers['content-type'] ?? 'application/octet-stream').toLowerCase().split(/\s*[;,]/, 1);
  // A pattern does not include pages, which gateways send.
  const patterns = /\/x?html\b/.test(type) ? [] : [type.replace(/\/.*/, '/*'), '*/*'];
  if (![type, ...patterns].some((one) => accepted.includes(one)))
    return 'but its content type is not accepted (orderService.documentTypes)';
  // If the body breaks off, whoever reads it learns that.
  await Promise.race([once(body, 'readable'), once(body, 'end')]).catch(() => undefined);
  return body.readableLength === 0 && !body.readableAborted ? 'but it is empty' : undefined;
}
