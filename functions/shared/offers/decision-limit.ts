/** The largest `decision.json`, in bytes. A hundred choices take a few thousand. */
export const DECISION_LIMIT = 1024 * 1024;
