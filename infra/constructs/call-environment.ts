import { callSettings, fileSettings, tokenSettings, variableOf, variables } from '../../core/settings.ts';
import { timeouts } from '../../core/timeouts.ts';
import type { Stage } from '../stages.ts';

/** Environment of every function that calls a service. How it sends its credentials differs. */
export const callEnvironment = ({ token }: Stage): Record<string, string> => ({
  [variableOf(tokenSettings, 'expiresInUnit')]: token.expiresInUnit,
  [variableOf(tokenSettings, 'defaultLifetimeSeconds')]: String(token.defaultLifetimeSeconds),
  ...variables(callSettings, {
    timeoutMilliseconds: timeouts.callSeconds * 1000,
    fileIdleTimeoutMilliseconds: timeouts.fileIdleSeconds * 1000,
  }),
  ...variables(fileSettings, { timeoutMilliseconds: timeouts.fileSeconds * 1000 }),
});
