/** What is signed as evidence begins with this, and no document may. So a signature of a document never passes for one of evidence. */
export const EVIDENCE_START = 'loan-orders-evidence/';

/** Why a document is not signed, for people. */
export const BEGINS_AS_EVIDENCE = `begins as evidence does ("${EVIDENCE_START}"), so that its signature could pass for one of evidence`;

/** Returns a function that is given a document chunk by chunk, and says whether it begins as evidence does. */
export function evidenceWatch(): (chunk: Uint8Array) => boolean {
  let start = '';
  return (chunk) => {
    const missing = EVIDENCE_START.length - start.length;
    start += Buffer.from(chunk.subarray(0, missing)).toString('latin1');
    return start === EVIDENCE_START;
  };
}
