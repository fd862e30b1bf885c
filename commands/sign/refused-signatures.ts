import type { Buckets } from '../shared/buckets.ts';

/** Why the signature of a document cannot be used. */
export interface RefusedSignature {
  fileId: string;
  problem: string;
}

/** What was wrong with signatures of the order that arrived. */
export async function refusedSignatures(buckets: Buckets, orderRef: string): Promise<RefusedSignature[]> {
  const names = await buckets.stagedNames(orderRef, 'signatures-rejected/');
  const pages = await Promise.all(names.map((name) => buckets.staged<RefusedSignature>(orderRef, name)));
  return pages.flatMap((page) => (page ? [{ fileId: page.fileId, problem: page.problem }] : []));
}
