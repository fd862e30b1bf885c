/** The most documents of one round of signing. One execution downloads all of them and uploads their signatures. */
export const MAX_DOCUMENTS_TO_SIGN = 100;

/**
 * Reads after which an order continues in a new execution. Step Functions ends an execution whose history grows beyond 25,000 events, and a
 * read with all its retries writes 79. `test/infra/history-limit.test.ts` computes from the state machine how many reads there is room for.
 */
export const READS_PER_EXECUTION = 200;

/** The most confirms after one read. Further choices are confirmed after the next read. */
export const MAX_CONFIRMS = 100;

/**
 * How many reads the work after a read counts as. Both count towards `READS_PER_EXECUTION`, because both write history events
 * (`test/infra/history-limit.test.ts`). Each item counts as two: a document to sign is downloaded, and its signature uploaded. The wait
 * and the accept count as two more.
 * @param items documents to upload, documents to sign, or offers.
 */
export const readsOfWork = (items: number): number => 2 * items + 2;
