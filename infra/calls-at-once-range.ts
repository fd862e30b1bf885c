/** Each function that calls the order service needs one run. */
export const LEAST_CALLS_AT_ONCE = 7;
export const MOST_CALLS_AT_ONCE = 10_000;
