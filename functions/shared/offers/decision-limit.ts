/** Bytes that `decision.json` may have; a hundred choices take a few thousand. */
export const DECISION_LIMIT = 1024 * 1024;
