import { z } from 'zod';
import { address, commonOrderService, orderServiceSchema } from './order-service-settings.ts';
import { signingSchema } from './signing-settings.ts';
import { timeouts } from './timeouts.ts';

const seconds = z.int().min(0);
const days = z.int().min(1).max(365);
/** A function waits twice, and is throttled three times: more would not be waited out (functions/shared/service/retry-after.ts). */
const MOST_PATIENCE_SECONDS = timeouts.patienceSeconds / 3;

/** More pages, each with all its retries, could come near the history limit of an execution. */
export const MOST_PAGES_PER_EXECUTION = 200;

/** The obsolete bank exchange (specification, 4.3), for the banks that still use it. */
const legacyExchangeSchema = z
  .strictObject({
    /** Whether its stack is synthesized: not at all, beside the order stack, or without it. `-c legacy=…` overrides it. */
    deploy: z.enum(['no', 'beside', 'alone']),
    /** Address of the product service (specification, 9: version 1.1). */
    baseUrl: address,
    /** `{auth_url}` of its authorization service; the path below it is `/token` (specification, 5.3). */
    authorizationUrl: address,
    /** How often requests and tax numbers are fetched. */
    fetchRequestsEveryMinutes: z.int().min(1).max(1_440),
    fetchInnsEveryMinutes: z.int().min(1).max(1_440),
    /** Requests asked for on one page, `take`; how many of them a page shares with the one before it. */
    take: z.int().min(2).max(500),
    pageOverlap: z.int().min(0).max(250),
    /** How far a run's window, `creationDateFrom`, reaches back behind the beginning of the last whole run. */
    windowOverlapMinutes: z.int().min(0).max(43_200),
    /** How `creationDateFrom` is written (not shown): `2026-11-20T10:15:00.000Z`, or the day alone. */
    creationDateFormat: z.enum(['date-time', 'date']),
    /** `creationDateFrom` before the first whole run, as it is sent; all requests are fetched where it is absent. */
    firstCreationDateFrom: z.string().min(1).optional(),
    /** Member of the answer to `GET /requests` that holds the list (not shown); the answer is the list where it is absent. */
    requestsMember: z.string().min(1).optional(),
    /**
     * Pages after which a run goes on in a new execution. With all its retries a page writes 85 events into the history, of 25,000
     * (test/infra/legacy-state-machine.test.ts).
     */
    pagesPerExecution: z.int().min(1).max(MOST_PAGES_PER_EXECUTION),
  })
  .refine(({ take, pageOverlap }) => pageOverlap < take, { error: 'must have pageOverlap < take' });

const stageSchema = z
  .strictObject({
    orderService: orderServiceSchema,
    token: z.strictObject({
      /** Unit of `expires_in` (not shown). */
      expiresInUnit: z.enum(['seconds', 'milliseconds']),
      /** Assumed where `expires_in` is absent or unusable. */
      defaultLifetimeSeconds: z.int().min(1),
    }),
    /**
     * The least wait between two reads (`pollAfterSeconds` is never shortened), what is taken where the service sends nothing usable, and
     * from what on a wait is remarked on in the log and the timeline.
     */
    pollAfterSeconds: z
      .strictObject({ minimum: seconds.min(1), fallback: seconds.min(1), long: seconds.min(1) })
      .refine(({ minimum, fallback }) => minimum <= fallback, { error: 'must have minimum <= fallback' }),
    /** A `Retry-After` up to this is waited for in the function; a longer one goes back to the state machine. */
    retryAfterPatienceSeconds: z.int().min(0).max(MOST_PATIENCE_SECONDS),
    /** Whether 503 proves that a call was not done (not shown): some gateways answer it after they have passed the call on. */
    unavailableProvesNothingDone: z.boolean(),
    /**
     * Reads after which an execution hands over to the next one; work counts as reads too (functions/shared/order/work-size.ts). The synth
     * says how many fit into the history of an execution (infra/history-limit.ts).
     */
    readsPerExecution: z.int().min(1).max(1_000),
    /**
     * A read may be stale. A status that was answered already is believed after so many reads in a row over so many seconds: the service
     * asks again, or did not get the answer. A function that was ended may be at a call for nearly as long.
     */
    repeatsLimit: z.int().min(1),
    settlingSeconds: seconds.max(3_600),
    /** Reads in a row whose answer can't be used, before the order fails: a read is safe, and what a gateway says passes. */
    unusableReadsLimit: z.int().min(1),
    /** Hours after which a wait for people ends, the order is read, and the wait begins again. */
    waitRecheckHours: z.int().min(1).max(168),
    /** How long signatures and decisions are waited for. */
    signaturesDeadlineDays: days,
    decisionDeadlineDays: days,
    signing: signingSchema,
    offers: z.strictObject({
      /** Who chooses where a package does not say. */
      choose: z.enum(['manual', 'rule']),
      /** JSONata rule for packages that bring none. */
      rule: z.string().optional(),
      /** Status of an offer that is confirmed (not shown). It tells what came of a confirm whose answer was lost. */
      confirmedStatus: z
        .string()
        .min(1)
        .refine((word) => word !== 'AVAILABLE', { error: 'must be another status than AVAILABLE' }),
    }),
    logRetentionDays: z.union([z.literal(7), z.literal(30), z.literal(90), z.literal(180), z.literal(365)]),
    /** Days that superseded versions in staging (older reads of an order, say) are kept. */
    stagingHistoryDays: days,
    /** Whether buckets, table and secret outlive the stack. */
    keepData: z.boolean(),
    legacyExchange: legacyExchangeSchema,
  })
  .refine(({ unusableReadsLimit, readsPerExecution }) => unusableReadsLimit <= readsPerExecution, {
    error: 'must have unusableReadsLimit <= readsPerExecution: each execution counts anew',
  });

/** The client secret and the orders travel over these addresses: only the laptop's may be plain HTTP. */
const deployedStageSchema = stageSchema.superRefine((stage, context) => {
  for (const service of ['orderService', 'legacyExchange'] as const) {
    for (const name of ['baseUrl', 'authorizationUrl'] as const) {
      if (stage[service][name].startsWith('https://')) continue;
      context.addIssue({ code: 'custom', path: [service, name], message: 'must begin with https://' });
    }
  }
});

/** Settings of one stage. */
export type Stage = z.infer<typeof stageSchema> & { name: StageName };
export type StageName = 'test' | 'prod' | 'local';

const common = {
  token: { expiresInUnit: 'seconds', defaultLifetimeSeconds: 60 },
  pollAfterSeconds: { minimum: 5, fallback: 30, long: 86_400 },
  retryAfterPatienceSeconds: 5,
  unavailableProvesNothingDone: true,
  readsPerExecution: 200,
  repeatsLimit: 3,
  settlingSeconds: 180,
  unusableReadsLimit: 5,
  waitRecheckHours: 6,
  signaturesDeadlineDays: 30,
  decisionDeadlineDays: 30,
  signing: { mode: 'external', gate: 'check', largestSignatureBytes: 1024 * 1024, compareDocuments: true },
  offers: { choose: 'manual', confirmedStatus: 'CONFIRMED' },
  stagingHistoryDays: 90,
} as const;

const commonLegacyExchange = {
  deploy: 'no',
  fetchRequestsEveryMinutes: 5,
  fetchInnsEveryMinutes: 60,
  take: 100,
  pageOverlap: 10,
  windowOverlapMinutes: 60,
  creationDateFormat: 'date-time',
  pagesPerExecution: 100,
} as const;

/**
 * The stages. `test` and `prod` are the service's two environments, each with its own authorization address
 * (specification, 5.4); the addresses are not shown there: replace those that end in `.example` with your own.
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
    pollAfterSeconds: { minimum: 1, fallback: 1, long: 86_400 },
    retryAfterPatienceSeconds: 1,
    waitRecheckHours: 24,
    settlingSeconds: 20,
    // A package may say "signing": "kms": the embedded AWS makes the key.
    signing: { ...common.signing, key: { create: 'ECC_NIST_P256' } },
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
    throw new Error(`Stage ${name ?? '(none)'} is not known: say -c stage=<${Object.keys(all).join(' | ')}>.`);
  }
  const result = (name === 'local' ? stageSchema : deployedStageSchema).safeParse(all[name]);
  if (result.success) return { ...result.data, name: name as StageName };
  const settings = result.error.issues.map(({ path, message }) => `${name}.${path.join('.')}: ${message}`);
  throw new Error(`Stage settings in infra/stages.ts can not be used.\n${settings.join('\n')}`);
}

export type LegacyDeployment = Stage['legacyExchange']['deploy'];

/**
 * Whether the stack of the obsolete bank exchange is synthesized: what `-c legacy` says goes before the stage's setting.
 * @throws Error that names what may be said.
 */
export function legacyDeployment(context: string | undefined, { legacyExchange }: Stage): LegacyDeployment {
  if (context === undefined) return legacyExchange.deploy;
  const { options } = legacyExchangeSchema.shape.deploy;
  const found = options.find((option) => option === context);
  if (found) return found;
  throw new Error(`-c legacy=${context} is not known: say -c legacy=<${options.join(' | ')}>.`);
}
