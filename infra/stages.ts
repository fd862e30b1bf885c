import type { z } from 'zod';
import { commonAlarms } from './alarm-settings.ts';
import { commonLimits } from './limits-settings.ts';
import { commonOrderService } from './order-service-settings.ts';
import { deployedStageSchema, stageSchema } from './stage-settings.ts';

/** Settings of one stage. */
export type Stage = z.infer<typeof stageSchema> & { name: StageName };
export type StageName = 'test' | 'prod' | 'local';

const common = {
  token: { expiresInUnit: 'seconds', defaultLifetimeSeconds: 60 },
  pollAfterSeconds: { minimum: 5, fallback: 30, long: 86_400, growth: 0.05 },
  outagePatienceHours: 72,
  unavailableProvesNothingDone: true,
  readsPerExecution: 200,
  repeatsLimit: 3,
  settlingSeconds: 180,
  unusableReadsLimit: 5,
  waitRecheckHours: 6,
  sweep: { everyMinutes: 5, mostStarts: 50, mostRemovals: 100 },
  holdReleases: false,
  eventConcurrency: 10,
  signaturesDeadlineDays: 30,
  decisionDeadlineDays: 30,
  signing: { mode: 'external', gate: 'check', largestSignatureBytes: 1024 * 1024, compareDocuments: true },
  offers: { choose: 'manual', confirmedStatus: 'CONFIRMED' },
  limits: commonLimits,
  stagingHistoryDays: 90,
  retention: { documentsDays: 90, recordDays: 365, legalHold: false },
  alarms: commonAlarms,
  events: {},
  encryption: 'aws-managed',
} as const;

/**
 * The stages. `test` and `prod` are the service's two environments, each with its own authorization address (specification,
 * 5.4). The specification does not show the addresses: replace those that end in `.example`.
 */
const stages: Record<StageName, unknown> = {
  test: {
    ...common,
    orderService: {
      baseUrl: 'https://orders.test.example',
      authorizationUrl: 'https://authorization.test.example',
      ...commonOrderService,
    },
    logRetentionDays: 30,
    keepData: false,
  },
  prod: {
    ...common,
    orderService: {
      baseUrl: 'https://orders.prod.example',
      authorizationUrl: 'https://authorization.prod.example',
      ...commonOrderService,
    },
    logRetentionDays: 365,
    keepData: true,
  },
  local: {
    ...common,
    pollAfterSeconds: { ...common.pollAfterSeconds, minimum: 1, fallback: 1 },
    waitRecheckHours: 24,
    // Somebody watches the laptop and waits.
    sweep: { everyMinutes: 1, mostStarts: 100, mostRemovals: 100 },
    settlingSeconds: 20,
    // The embedded AWS creates the keys, for packages with "signing": "kms" and for evidence.
    signing: { ...common.signing, key: { create: 'ECC_NIST_P256' }, evidenceKey: { create: 'ECC_NIST_P256' } },
    orderService: {
      baseUrl: 'http://127.0.0.1:4010',
      authorizationUrl: 'http://127.0.0.1:4010',
      ...commonOrderService,
    },
    logRetentionDays: 7,
    keepData: false,
  },
};

/**
 * The checked settings of a stage.
 * @throws Error that names the stage and every setting that is missing or malformed.
 */
export function stageSettings(name: string | undefined, all: Record<string, unknown> = stages): Stage {
  if (name === undefined || !Object.hasOwn(all, name)) {
    throw new Error(`Stage ${name ?? '(none)'} is unknown: use -c stage=<${Object.keys(all).join(' | ')}>.`);
  }
  const result = (name === 'local' ? stageSchema : deployedStageSchema).safeParse(all[name]);
  if (result.success) return { ...result.data, name: name as StageName };
  const settings = result.error.issues.map(({ path, message }) => `${name}.${path.join('.')}: ${message}`);
  throw new Error(`Stage settings in infra/stages.ts cannot be used.\n${settings.join('\n')}`);
}
