import { rejectedRows } from '../shared/rejected-lines.ts';
import type { RejectedLine } from '../shared/rejected-uploads.ts';
import type { Denied } from '../shared/service-words.ts';
import type { Answer } from '../shared/text.ts';

/** What was rejected in an order's folder, or why that cannot be shown. */
type SeenRejected = RejectedLine[] | Denied;

/** `show` for a folder whose package was not accepted. */
export function showRejected(orderRef: string, lines: RejectedLine[]): Answer {
  const isPackage = lines.some(({ kind }) => kind === 'package');
  const what = isPackage ? 'its package was rejected' : 'its folder has uploads that belong to no order';
  return {
    lines: [
      `There is no order ${orderRef} yet: ${what}. Nothing was sent. Upload the corrected files, and the order starts.`,
      ...rejectedSection(lines),
    ],
    json: { orderRef, rejected: lines },
  };
}

/** The uploads in the order's folder that were rejected, as the last section of `show`. */
export function rejectedSection(seen: SeenRejected): string[] {
  const title = ['', 'Rejected uploads'];
  if ('denied' in seen) return [...title, `  They are not shown. ${seen.denied}`];
  return seen.length === 0 ? [] : [...title, ...rejectedRows(seen).map((line) => `  ${line}`)];
}

/** The same for scripts. */
export function rejectedFacts(seen: SeenRejected) {
  if ('denied' in seen) return { rejectedDenied: seen.denied };
  return seen.length > 0 ? { rejected: seen } : {};
}
