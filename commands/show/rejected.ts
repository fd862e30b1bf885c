import type { RejectedLine } from '../../core/people/rejected-line.ts';
import { rejectedRows, rejectedSummary } from '../orders/list-rejected.ts';
import type { Answer } from '../refusal.ts';

/** `show` for a folder whose package was not accepted. */
export function showRejected(orderRef: string, lines: RejectedLine[]): Answer {
  const isPackage = lines.some(({ kind }) => kind === 'package');
  const what = isPackage ? 'its package was rejected' : 'its folder has uploads that belong to no order';
  return {
    lines: [
      `There is no order ${orderRef} yet: ${what}. Nothing was sent. Upload the corrected files, and the order starts.`,
      ...rejectedSection(lines),
    ],
    json: { orderRef, rejected: lines.map(rejectedSummary) },
  };
}

/** The uploads in the order's folder that were rejected, as the last section of `show`. */
export function rejectedSection(lines: RejectedLine[]): string[] {
  if (lines.length === 0) return [];
  return ['', 'Rejected uploads', ...rejectedRows(lines).map((line) => `  ${line}`)];
}
