/** The largest `decision.json`, in bytes. A hundred choices take a few thousand. */
export const DECISION_BYTES = 1024 * 1024;

/** The most choices of a decision, whether a person or a rule made it. */
export const MOST_CHOICES = 100;

/** The most characters of a name in a `decision.json`, as of an identifier in a package. */
export const LONGEST_NAME = 256;
