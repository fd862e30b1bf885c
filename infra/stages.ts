import { z } from 'zod';
import { commonLegacyExchange, legacyExchangeSchema } from '../bank-exchange/infra/settings.ts';
import { alarmSchema, commonAlarms } from './alarm-settings.ts';
import { LEAST_CALLS_AT_ONCE, MOST_CALLS_AT_ONCE } from './calls-at-once-range.ts';
import { encryptionSchema } from './encryption-settings.ts';
import { commonLimits, limitsSchema } from './limits-settings.ts';
import { networkSchema } from './network-settings.ts';
import { commonOrderService, orderServiceSchema } from './order-service-settings.ts';
import { retentionSchema } from './retention-settings.ts';
import { signingSchema } from './signing-settings.ts';
import { timeouts } from './timeouts.ts';

const seconds = z.int().min(0);
const days = z.int().min(1).max(365);
/** A function waits twice and is throttled three times. Longer waits would exceed its patience (core/service/retry-after.ts). */
const MAX_PATIENCE_SECONDS = timeouts.patienceSeconds / 3;

const ACCOUNT = /^\d{12}$/;
const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

const stageSchema = z
  .strictObject({
    /** Where the stage is deployed. Without them, wherever the credentials and AWS_REGION point. */
    account: z.string().regex(ACCOUNT, { error: 'must be 12 digits' }).optional(),
    region: z.string().regex(REGION, { error: 'must be the name of a region, such as eu-central-1' }).optional(),
    /** Default: functions run in a network of Lambda, with changing addresses. */
    network: networkSchema.optional(),
    orderService: orderServiceSchema,
    token: z.strictObject({
      /** Unit of `expires_in` (not shown). */
      expiresInUnit: z.enum(['seconds', 'milliseconds']),
      /** Lifetime of a token whose `expires_in` is missing or unusable. */
      defaultLifetimeSeconds: z.int().min(1),
    }),
    /** The wait between two reads. */
    pollAfterSeconds: z
      .strictObject({
        /** A shorter `pollAfterSeconds` of the service is raised to this. No wait is ever shortened. */
        minimum: seconds.min(1),
        /** Used when the service sends no usable `pollAfterSeconds`. */
        fallback: seconds.min(1),
        /** A longer wait is kept, and shown in the log and the timeline. */
        long: seconds.min(1),
        /**
         * The wait grows to this share of the time that the order has been in its status, up to a day: with 0.05 a change is
         * learned of at most 5 % late. 0 switches this off.
         */
        growth: z.number().min(0).max(1),
      })
      .refine(({ minimum, fallback }) => minimum <= fallback, { error: 'must have minimum <= fallback' }),
    /** The function waits for a `Retry-After` up to this. The state machine waits for a longer one. */
    retryAfterPatienceSeconds: z.int().min(0).max(MAX_PATIENCE_SECONDS),
    /** How long an order is tried again by itself during an outage, and waits for `Retry-After`. A longer outage needs a person. */
    outagePatienceHours: z.int().min(1).max(8_760),
    /** Whether 503 proves that a call was not carried out (not shown). Some gateways answer 503 after they have passed the call on. */
    unavailableProvesNothingDone: z.boolean(),
    /**
     * Reads after which an execution hands over to the next one. Work counts as reads too (core/order/work-size.ts).
     * infra/history-limit.ts checks that they fit into the history of an execution.
     */
    readsPerExecution: z.int().min(1).max(1_000),
    /** A read may be stale. A status that was already handled is believed after this many reads in a row. */
    repeatsLimit: z.int().min(1),
    /** Those reads must span this time. It is longer than a function that sends an accept can run. */
    settlingSeconds: seconds.max(3_600),
    /** The order fails after this many unusable answers to reads in a row. */
    unusableReadsLimit: z.int().min(1),
    /** How often the order is read while it waits for people. */
    waitRecheckHours: z.int().min(1).max(168),
    /** The sweep finds orders that no execution drives, and starts those again that an outage stopped. */
    sweep: z.strictObject({
      everyMinutes: z.int().min(1).max(60),
      /** How many orders one sweep starts at most, and moves to its release at most, so that the service is not flooded. */
      mostStarts: z.int().min(1).max(1_000),
    }),
    /** Whether orders in flight stay in their release, until `loan-orders migrate` moves them. Otherwise the sweep does. */
    holdReleases: z.boolean(),
    /** How many batches of events each function handles at once. The account's functions share a quota. */
    eventConcurrency: z.int().min(2).max(1_000),
    /** How long an order waits for signatures and for a decision. */
    signaturesDeadlineDays: days,
    decisionDeadlineDays: days,
    signing: signingSchema,
    offers: z.strictObject({
      /** Who chooses when a package does not say. */
      choose: z.enum(['manual', 'rule']),
      /** JSONata rule for packages without one. */
      rule: z.string().optional(),
      /** Status of a confirmed offer (not shown). It shows the outcome of a confirm whose answer was lost. */
      confirmedStatus: z
        .string()
        .min(1)
        .refine((word) => word !== 'AVAILABLE', { error: 'must be a status other than AVAILABLE' }),
    }),
    limits: limitsSchema,
    /** The most calls to the order service at once, of all orders together. Default: any number. infra/order/calls-at-once.ts divides them. */
    callsAtOnce: z.int().min(LEAST_CALLS_AT_ONCE).max(MOST_CALLS_AT_ONCE).optional(),
    logRetentionDays: z.union([z.literal(7), z.literal(30), z.literal(90), z.literal(180), z.literal(365)]),
    /** How long superseded versions in the staging bucket are kept. */
    stagingHistoryDays: days,
    /** How long data is kept after the end of an order. */
    retention: retentionSchema,
    alarms: alarmSchema,
    /** The bus on which others learn of the orders. */
    events: z.strictObject({
      /** How long its archive keeps the events, to replay them. Default: there is no archive. */
      archiveDays: z.int().min(1).max(36_500).optional(),
    }),
    /** The key of buckets, table, secret, queues and log groups. */
    encryption: encryptionSchema,
    /** Whether buckets, table, secret, log groups and created signing keys outlive the stack. */
    keepData: z.boolean(),
    legacyExchange: legacyExchangeSchema,
  })
  .refine(({ retention, keepData }) => keepData || !retention.legalHold, {
    error: 'must have keepData: true with retention.legalHold, because removing the stack removes the data',
  })
  .refine(({ unusableReadsLimit, readsPerExecution }) => unusableReadsLimit <= readsPerExecution, {
    error: 'must have unusableReadsLimit <= readsPerExecution, because each execution counts from zero',
  });

/** Only the laptop may use plain HTTP: the client secret and the orders are sent to these addresses. */
const deployedStageSchema = stageSchema.superRefine((stage, context) => {
  for (const service of ['orderService', 'legacyExchange'] as const) {
    for (const name of ['baseUrl', 'authorizationUrl'] as const) {
      if (stage[service][name].startsWith('https://')) continue;
      context.addIssue({ code: 'custom', path: [service, name], message: 'must start with https://' });
    }
  }
});

/** Settings of one stage. */
export type Stage = z.infer<typeof stageSchema> & { name: StageName };
export type StageName = 'test' | 'prod' | 'local';

const common = {
  token: { expiresInUnit: 'seconds', defaultLifetimeSeconds: 60 },
  pollAfterSeconds: { minimum: 5, fallback: 30, long: 86_400, growth: 0.05 },
  retryAfterPatienceSeconds: 5,
  outagePatienceHours: 72,
  unavailableProvesNothingDone: true,
  readsPerExecution: 200,
  repeatsLimit: 3,
  settlingSeconds: 180,
  unusableReadsLimit: 5,
  waitRecheckHours: 6,
  sweep: { everyMinutes: 5, mostStarts: 50 },
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
    legacyExchange: {
      ...commonLegacyExchange,
      baseUrl: 'https://exchange.test.example',
      authorizationUrl: 'https://authorization.test.example',
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
    legacyExchange: {
      ...commonLegacyExchange,
      baseUrl: 'https://exchange.prod.example',
      authorizationUrl: 'https://authorization.prod.example',
    },
    logRetentionDays: 365,
    keepData: true,
  },
  local: {
    ...common,
    pollAfterSeconds: { ...common.pollAfterSeconds, minimum: 1, fallback: 1 },
    retryAfterPatienceSeconds: 1,
    waitRecheckHours: 24,
    // Somebody watches.
    sweep: { everyMinutes: 1, mostStarts: 100 },
    settlingSeconds: 20,
    // The embedded AWS creates the keys, for packages with "signing": "kms" and for evidence.
    signing: { ...common.signing, key: { create: 'ECC_NIST_P256' }, evidenceKey: { create: 'ECC_NIST_P256' } },
    orderService: {
      baseUrl: 'http://127.0.0.1:4010',
      authorizationUrl: 'http://127.0.0.1:4010',
      ...commonOrderService,
    },
    legacyExchange: {
      ...commonLegacyExchange,
      fetchRequestsEveryMinutes: 1,
      fetchInnsEveryMinutes: 1,
      baseUrl: 'http://127.0.0.1:4010',
      authorizationUrl: 'http://127.0.0.1:4010',
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
