import { limitsEnvironment } from '../../core/limits.ts';
import { callEnvironment } from '../constructs/call-environment.ts';
import type { Stage } from '../stages.ts';
import { timeouts } from '../timeouts.ts';

/** For functions that call the order service. */
export function serviceEnvironment(stage: Stage): Record<string, string> {
  const { orderService, pollAfterSeconds } = stage;
  return {
    ORDER_SERVICE_URL: orderService.baseUrl,
    TOKEN_URL: orderService.authorizationUrl.replace(/\/$/, '') + orderService.tokenPath,
    TOKEN_CLIENT_AUTHENTICATION: orderService.clientAuthentication,
    ORDER_CONTENT_TYPE: orderService.contentType,
    ORDER_SERVICE_NAMES: JSON.stringify(orderService.names),
    OTHER_STATUSES: JSON.stringify(orderService.otherStatuses),
    ACCEPT_BODY: orderService.acceptBody,
    CONFIRM_NUMBERS: orderService.confirmNumbers,
    ...callEnvironment(stage),
    POLL_MINIMUM_SECONDS: String(pollAfterSeconds.minimum),
    POLL_DEFAULT_SECONDS: String(pollAfterSeconds.fallback),
    LONG_WAIT_SECONDS: String(pollAfterSeconds.long),
    OUTAGE_PATIENCE_HOURS: String(stage.outagePatienceHours),
    ...limitsEnvironment(stage.limits, ['offers']),
  };
}

/** For the function that checks packages. */
export function packageEnvironment({ limits }: Stage): Record<string, string> {
  return limitsEnvironment(limits, ['orderJsonBytes', 'documents', 'documentBytes', 'packageBytes', 'ruleCharacters']);
}

/** For the function that stages documents to sign. */
export function documentEnvironment({ limits }: Stage): Record<string, string> {
  return limitsEnvironment(limits, ['documentBytes']);
}

/** For the function that reads orders. */
export function readEnvironment({
  pollAfterSeconds,
  readsPerExecution,
  repeatsLimit,
  settlingSeconds,
  unusableReadsLimit,
  waitRecheckHours,
}: Stage): Record<string, string> {
  return {
    POLL_GROWTH: String(pollAfterSeconds.growth),
    READS_PER_EXECUTION: String(readsPerExecution),
    REPEATS_LIMIT: String(repeatsLimit),
    SETTLING_SECONDS: String(settlingSeconds),
    UNUSABLE_READS_LIMIT: String(unusableReadsLimit),
    WAIT_RECHECK_HOURS: String(waitRecheckHours),
  };
}

/** For functions that let an execution wait for people. */
export function deadlinesEnvironment({ signaturesDeadlineDays, decisionDeadlineDays }: Stage): Record<string, string> {
  return {
    SIGNATURES_DEADLINE_DAYS: String(signaturesDeadlineDays),
    DECISION_DEADLINE_DAYS: String(decisionDeadlineDays),
  };
}

/** For functions that check signatures. */
export function gateEnvironment({ signing }: Stage): Record<string, string> {
  return { SIGNATURE_GATE: signing.gate, LARGEST_SIGNATURE_BYTES: String(signing.largestSignatureBytes) };
}

/** For the function that sends signatures. It makes two file calls, so each has less time. */
export function signatureEnvironment({ signing }: Stage): Record<string, string> {
  return {
    COMPARE_DOCUMENTS: String(signing.compareDocuments),
    FILE_TIMEOUT_MILLISECONDS: String(timeouts.secondFileSeconds * 1000),
  };
}

/** For functions that need to know who signs. */
export function signingEnvironment({ signing }: Stage): Record<string, string> {
  return { SIGNING_MODE: signing.mode, SIGNING_HAS_KEY: String(signing.key !== undefined) };
}

/** For functions that find out the outcome of a confirm from a read. */
export function confirmEnvironment({ offers }: Stage): Record<string, string> {
  return { CONFIRMED_OFFER_STATUS: offers.confirmedStatus };
}

/** For functions that need to know who chooses offers. */
export function offersEnvironment({ offers }: Stage): Record<string, string> {
  return { OFFERS_CHOOSE: offers.choose, ...(offers.rule && { OFFERS_RULE: offers.rule }) };
}

/** For functions that record the end of an execution. */
export function recoveryEnvironment({ outagePatienceHours }: Stage): Record<string, string> {
  return { OUTAGE_PATIENCE_HOURS: String(outagePatienceHours) };
}

/** For the function that removes data of orders that are over. Without a number of days, the data is kept. */
export function retentionEnvironment({ retention }: Stage): Record<string, string> {
  const { documentsDays, recordDays, legalHold } = retention;
  if (legalHold) return {};
  return {
    ...(documentsDays !== 'keep' && { KEEP_DOCUMENTS_DAYS: String(documentsDays) }),
    ...(recordDays !== 'keep' && { KEEP_RECORD_DAYS: String(recordDays) }),
  };
}

/** For the function that starts orders again, and sends them to the newest release. */
export function sweepEnvironment({ sweep, holdReleases }: Stage): Record<string, string> {
  return { STARTS_PER_SWEEP: String(sweep.mostStarts), HOLD_RELEASES: String(holdReleases) };
}
