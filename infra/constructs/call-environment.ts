import { limitsEnvironment } from '../../core/limits.ts';
import type { Stage } from '../stages.ts';
import { timeouts } from '../timeouts.ts';

/** Environment of every function that calls a service, either of the two. */
export function callEnvironment(stage: Stage): Record<string, string> {
  const { token } = stage;
  return {
    TOKEN_EXPIRES_IN_UNIT: token.expiresInUnit,
    TOKEN_DEFAULT_LIFETIME_SECONDS: String(token.defaultLifetimeSeconds),
    CALL_TIMEOUT_MILLISECONDS: String(timeouts.callSeconds * 1000),
    FILE_TIMEOUT_MILLISECONDS: String(timeouts.fileSeconds * 1000),
    FILE_IDLE_TIMEOUT_MILLISECONDS: String(timeouts.fileIdleSeconds * 1000),
    UNAVAILABLE_PROVES_NOTHING_DONE: String(stage.unavailableProvesNothingDone),
    PATIENCE_MILLISECONDS: String(timeouts.patienceSeconds * 1000),
    RETRY_AFTER_PATIENCE_SECONDS: String(stage.retryAfterPatienceSeconds),
    ...limitsEnvironment(stage.limits, ['answerBytes']),
  };
}
