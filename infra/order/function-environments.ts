import { limitsEnvironment } from '../../core/limits.ts';
import {
  compareSettings,
  confirmSettings,
  deadlineSettings,
  fileSettings,
  gateSettings,
  offerSettings,
  pollSettings,
  readSettings,
  recoverySettings,
  retentionSettings,
  serviceSettings,
  signingSettings,
  sweepSettings,
  tokenSettings,
  variableOf,
  variables,
} from '../../core/settings.ts';
import { callEnvironment } from '../constructs/call-environment.ts';
import type { Stage } from '../stages.ts';
import { timeouts } from '../timeouts.ts';

type Environment = (stage: Stage) => Record<string, string>;

/** For functions that call the order service. */
export const serviceEnvironment: Environment = (stage) => {
  const { orderService, pollAfterSeconds } = stage;
  const { baseUrl, authorizationUrl, tokenPath, contentType, names, otherStatuses, acceptBody, confirmNumbers } =
    orderService;
  return {
    ...variables(serviceSettings, {
      url: baseUrl,
      tokenUrl: authorizationUrl.replace(/\/$/, '') + tokenPath,
      contentType,
      names,
      otherStatuses,
      acceptBody,
      confirmNumbers,
    }),
    [variableOf(tokenSettings, 'clientAuthentication')]: orderService.clientAuthentication,
    ...callEnvironment(stage),
    ...variables(pollSettings, {
      minimumSeconds: pollAfterSeconds.minimum,
      defaultSeconds: pollAfterSeconds.fallback,
      longSeconds: pollAfterSeconds.long,
    }),
    ...recoveryEnvironment(stage),
    ...limitsEnvironment(stage.limits, ['offers']),
  };
};

/** For the function that checks packages. */
export const packageEnvironment: Environment = ({ limits }) =>
  limitsEnvironment(limits, ['orderJsonBytes', 'documents', 'documentBytes', 'packageBytes', 'ruleCharacters']);

/** For the function that stages documents to sign. */
export const documentEnvironment: Environment = ({ limits }) => limitsEnvironment(limits, ['documentBytes']);

/** For the function that reads orders. */
export const readEnvironment: Environment = ({ pollAfterSeconds, ...stage }) => {
  const { readsPerExecution, repeatsLimit, settlingSeconds, unusableReadsLimit, waitRecheckHours } = stage;
  return variables(readSettings, {
    pollGrowth: pollAfterSeconds.growth,
    readsPerExecution,
    repeatsLimit,
    settlingSeconds,
    unusableReadsLimit,
    waitRecheckHours,
  });
};

/** For functions that let an execution wait for people. */
export const deadlinesEnvironment: Environment = ({ signaturesDeadlineDays, decisionDeadlineDays }) =>
  variables(deadlineSettings, { signaturesDays: signaturesDeadlineDays, decisionDays: decisionDeadlineDays });

/** For functions that check signatures. */
export const gateEnvironment: Environment = ({ signing: { gate, largestSignatureBytes } }) =>
  variables(gateSettings, { level: gate, largestSignatureBytes });

/** For the function that sends signatures. It makes two file calls, so each has less time. */
export const signatureEnvironment: Environment = ({ signing: { compareDocuments } }) => ({
  ...variables(compareSettings, { compareDocuments }),
  ...variables(fileSettings, { timeoutMilliseconds: timeouts.secondFileSeconds * 1000 }),
});

/** For functions that need to know who signs. */
export const signingEnvironment: Environment = ({ signing: { mode, key } }) =>
  variables(signingSettings, { mode, hasKey: key !== undefined });

/** For functions that find out the outcome of a confirm from a read. */
export const confirmEnvironment: Environment = ({ offers: { confirmedStatus } }) =>
  variables(confirmSettings, { confirmedStatus });

/** For functions that need to know who chooses offers. */
export const offersEnvironment: Environment = ({ offers: { choose, rule } }) =>
  variables(offerSettings, { choose, rule });

/** For functions that record the end of an execution. */
export const recoveryEnvironment: Environment = ({ outagePatienceHours }) =>
  variables(recoverySettings, { outagePatienceHours });

/** For the function that removes data of orders that are over. */
export const retentionEnvironment: Environment = ({ retention: { documentsDays, recordDays, legalHold } }) => {
  const days = (setting: number | 'keep') => (legalHold || setting === 'keep' ? undefined : setting);
  return variables(retentionSettings, { documentsDays: days(documentsDays), recordDays: days(recordDays) });
};

/** For the function that starts orders again, and sends them to the newest release. */
export const sweepEnvironment: Environment = ({ sweep: { mostStarts }, holdReleases }) =>
  variables(sweepSettings, { mostStarts, holdReleases });
