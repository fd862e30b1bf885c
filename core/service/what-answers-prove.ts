import { OutcomeUnknown, Rejected, ServiceUnavailable, Throttled, UnexpectedResponse } from '../errors.ts';

/** The kinds of calls, and the column of the table for each. The ledger says how the changes differ. */
const COLUMNS = {
  read: 2,
  download: 3,
  token: 4,
  creation: 5,
  upload: 5,
  signature: 5,
  accept: 5,
  confirm: 5,
} as const;

export type Kind = keyof typeof COLUMNS;

/** What an answer proves about the work of a call that changes something. `ledger/knowledge.ts` says what is known then. */
export type CallFailure = 'refused' | 'turned away' | 'not sent' | 'lost';

/**
 * What follows from an answer, and its error: a person must act (`verdict`); it heals by itself, at once or `later` than the answer says, or
 * else the stage's patience ends (`outage`); it is asked again, counted and timed, and then an outage (`unusable`, `reading/without-read.ts`);
 * or the ledger decides (`unknown`).
 */
export const ERRORS = {
  verdict: Rejected,
  outage: ServiceUnavailable,
  later: Throttled,
  unusable: UnexpectedResponse,
  unknown: OutcomeUnknown,
};

export type Meaning = keyof typeof ERRORS;
type Fits = (status: number, asksToWait: boolean) => boolean;
type Row = [fits: Fits, work: CallFailure, read: Meaning, download: Meaning, token: Meaning, change: Meaning];

/** A 503 with `Retry-After` is treated like a 429 (RFC 9110, 10.2.3). */
const isTurnedAway: Fits = (status, asksToWait) => status === 429 || (status === 503 && asksToWait);

/**
 * 4xx that gateways send for reasons of their own: their own credentials, timeouts, a wrong host, a lock, an early request, a caller that
 * closed the connection (RFC 9110, 15.5; RFC 4918, 11.3; RFC 8470, 5.2; 499 is nginx's).
 */
export const NEVER_A_VERDICT = [407, 408, 421, 423, 425, 499];

/**
 * What a status proves if it does not mean success. The first row that fits counts. The specification does not define statuses (7.2), so
 * this is our assumption. Gateways repeat calls and answer after the work, so most statuses prove nothing about it. Downloads and uploads
 * that failed are repeated by the state machine, then by the sweep.
 */
const ROWS: Row[] = [
  // 401 and 403 precede the work (assumed). A newer token was refused, too.
  [(status) => status === 401, 'not sent', 'outage', 'outage', 'outage', 'outage'],
  [(status) => status === 403, 'not sent', 'verdict', 'verdict', 'outage', 'verdict'],
  [isTurnedAway, 'turned away', 'later', 'later', 'later', 'later'],
  [(status) => NEVER_A_VERDICT.includes(status), 'turned away', 'outage', 'outage', 'outage', 'unknown'],
  [(status) => status >= 500, 'lost', 'outage', 'outage', 'outage', 'unknown'],
  // A server may not know a new order yet.
  [(status) => status >= 400, 'refused', 'unusable', 'outage', 'outage', 'verdict'],
  [() => true, 'lost', 'unusable', 'outage', 'outage', 'unknown'],
];

const rowOf = (status: number, asksToWait: boolean) => ROWS.find(([fits]) => fits(status, asksToWait)) as Row;

/** @param asksToWait whether the answer has a `Retry-After`. */
export const meaningOf = (status: number, { kind }: { kind: Kind }, asksToWait = false): Meaning =>
  rowOf(status, asksToWait)[COLUMNS[kind]];

export const proofOf = (status: number, asksToWait: boolean): CallFailure => rowOf(status, asksToWait)[1];

export const isChange = ({ kind }: { kind: Kind }): boolean => COLUMNS[kind] === COLUMNS.creation;

/**
 * How often a call may replace its token after a status. After a 401, the first replacement may be a token that another function got
 * earlier, and may be refused too; the second one is new.
 */
export const TOKEN_REPLACEMENTS: Record<number, number> = { 401: 2, 403: 1 };

/** The only statuses that mean success where no body proves it: a gateway may answer 200 with a page of its own. Default: any 2xx. */
export const SUCCESSES: { [One in Kind]?: readonly number[] } = { download: [200], accept: [202], confirm: [202] };

/** With these errors, a token endpoint refuses the credentials (RFC 6749, 5.2). Its other refusals are outages. */
export const CREDENTIALS_REFUSED = ['invalid_client', 'unauthorized_client', 'invalid_grant', 'invalid_scope'];

/** The statuses that prove by default that a creation was not done: the work does not begin before such a check. */
export const NOT_CREATED = [400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429, 503];

/** Errors after which an order continues by itself: nothing was done, or it may be done again. */
export const OUTAGES = ['ServiceUnavailable', 'Throttled', 'NoUsableAnswer'];
