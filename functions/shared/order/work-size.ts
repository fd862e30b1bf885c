/** The most documents that one round of signing may list: each is downloaded, and its signature uploaded, in one execution. */
export const MOST_DOCUMENTS_TO_SIGN = 100;

/** The most confirms that follow one read; further choices follow the next read. */
export const MOST_CONFIRMS = 100;

/**
 * How many reads the work that a read hands out counts as, against `readsPerExecution`: two for each item (a document to sign is
 * downloaded, and its signature uploaded), and two for the wait and the accept beside them. What a counted read may write into an
 * execution's history, `infra/history-limit.ts` computes.
 * @param items documents to upload, documents to sign, or offers.
 */
export function readsOfWork(items: number): number {
  return 2 * items + 2;
}
