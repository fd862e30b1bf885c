import {
  compareSettings,
  confirmSettings,
  creationSettings,
  deadlineSettings,
  fileSettings,
  gateSettings,
  idempotencySettings,
  limitSettings,
  offerSettings,
  pollSettings,
  readSettings,
  recoverySettings,
  serviceSettings,
  signingSettings,
  sweepSettings,
  tokenSettings,
  variableOf,
  variables,
} from '../../core/settings.ts';
import { timeouts } from '../../core/timeouts.ts';
import { callEnvironment } from '../constructs/call-environment.ts';
import { retentionOfOrders } from '../constructs/retention.ts';
import type { Stage } from '../stages.ts';

type Environment = (stage: Stage) => Record<string, string>;

/** For functions that record the end of an execution. */
const recovery: Environment = ({ outagePatienceHours }) => variables(recoverySettings, { outagePatienceHours });

/** Parts of the environments of functions, by what a function does. */
export const environments = {
  service(stage) {
    const { orderService, pollAfterSeconds } = stage;
    const { authorizationUrl, tokenPath } = orderService;
    return {
      ...variables(serviceSettings, {
        ...orderService,
        tokenUrl: authorizationUrl.replace(/\/$/, '') + tokenPath,
      }),
      ...variables(idempotencySettings, { idempotencyHeader: undefined, ...orderService }),
      [variableOf(tokenSettings, 'clientAuthentication')]: orderService.clientAuthentication,
      ...callEnvironment(stage),
      ...variables(pollSettings, {
        minimumSeconds: pollAfterSeconds.minimum,
        defaultSeconds: pollAfterSeconds.fallback,
        longSeconds: pollAfterSeconds.long,
      }),
      ...recovery(stage),
    };
  },
  /** Creates orders. Those that waited are created at the pace of the sweep. */
  creation: ({ sweep: { everyMinutes, mostStarts } }) =>
    variables(creationSettings, { secondsBetween: Math.ceil((everyMinutes * 60) / mostStarts) }),
  /** Handles documents of packages, or documents to sign. */
  document: ({ limits }) => variables(limitSettings, limits),
  read: (stage) =>
    variables(readSettings, {
      ...stage,
      pollGrowth: stage.pollAfterSeconds.growth,
      bankAt: stage.offerLabels.bank,
    }),
  deadlines: ({ signaturesDeadlineDays, decisionDeadlineDays, offerLabels: { expiresAt } }) =>
    variables(deadlineSettings, {
      signaturesDays: signaturesDeadlineDays,
      decisionDays: decisionDeadlineDays,
      expiresAt,
    }),
  gate: ({ signing: { gate, unchecked, signers = [], largestSignatureBytes } }) =>
    variables(gateSettings, { level: gate, unchecked, signers, largestSignatureBytes }),
  /** Sends signatures. The function makes two file calls, so each has less time. */
  signature: ({ signing: { compareDocuments } }) => ({
    ...variables(compareSettings, { compareDocuments }),
    ...variables(fileSettings, { timeoutMilliseconds: timeouts.secondFileSeconds * 1000 }),
  }),
  signing: ({ signing: { mode, key } }) => variables(signingSettings, { mode, hasKey: key !== undefined }),
  /** Finds out the outcome of a confirm from a read. */
  confirm: ({ offers: { confirmedStatus } }) => variables(confirmSettings, { confirmedStatus }),
  offers: ({ offers: { choose, rule } }) => variables(offerSettings, { choose, rule }),
  recovery,
  retention: retentionOfOrders,
  /** Starts orders again, and sends them to the newest release. */
  sweep: ({ sweep: { mostStarts }, holdReleases }) => variables(sweepSettings, { mostStarts, holdReleases }),
} as const satisfies Record<string, Environment>;
