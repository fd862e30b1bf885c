/** The largest `decision.json`, in bytes. A hundred choices take a few thousand. */
export const DECISION_LIMIT = 1024 * 1024;

/** The most characters of `decidedBy`, as of an identifier in a package. */
export const LONGEST_NAME = 256;
