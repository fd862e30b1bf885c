import { z } from 'zod';
import { connectionSettings } from '../../infra/connection-settings.ts';
import { address } from '../../infra/order-service-settings.ts';

/** With more pages, each with all its retries, an execution could reach its history limit. */
export const MAX_PAGES_PER_EXECUTION = 200;

/** The obsolete bank exchange (specification, 4.3). */
export const legacyExchangeSchema = z
  .strictObject({
    /** Whether its stack is synthesized: not at all, beside the order stack, or without it. `-c legacy=…` overrides it. */
    deploy: z.enum(['no', 'beside', 'alone']),
    /** Base address of the product service (specification, 9: version 1.1). */
    baseUrl: address,
    /** `{auth_url}` of its authorization service. The token endpoint is `/token` below it (specification, 5.3). */
    authorizationUrl: address,
    ...connectionSettings,
    /** How often requests and tax numbers are fetched. */
    fetchRequestsEveryMinutes: z.int().min(1).max(1_440),
    fetchInnsEveryMinutes: z.int().min(1).max(1_440),
    /** Requests on a page (`take`). */
    take: z.int().min(2).max(500),
    /** Requests that a page shares with the page before it. */
    pageOverlap: z.int().min(0).max(250),
    /** How far a run looks back (`creationDateFrom`) beyond the start of the last complete run. */
    windowOverlapMinutes: z.int().min(0).max(43_200),
    /** How `creationDateFrom` is written (not shown): `2026-11-20T10:15:00.000Z`, or the day alone. */
    creationDateFormat: z.enum(['date-time', 'date']),
    /** `creationDateFrom` before the first complete run. Without it, all requests are fetched. */
    firstCreationDateFrom: z.string().min(1).optional(),
    /** Property of the answer to `GET /requests` that holds the list (not shown). Without it, the answer is the list. */
    requestsMember: z.string().min(1).optional(),
    /**
     * Pages after which a run continues in a new execution. A page with all its retries writes 85 history events; an execution may
     * have 25,000 (test/infra/legacy-state-machine.test.ts).
     */
    pagesPerExecution: z.int().min(1).max(MAX_PAGES_PER_EXECUTION),
  })
  .refine(({ take, pageOverlap }) => pageOverlap < take, { error: 'must have pageOverlap < take' });

/** Values that the stages share. */
export const commonLegacyExchange = {
  deploy: 'no',
  fetchRequestsEveryMinutes: 5,
  fetchInnsEveryMinutes: 60,
  take: 100,
  pageOverlap: 10,
  windowOverlapMinutes: 60,
  creationDateFormat: 'date-time',
  pagesPerExecution: 100,
} as const;

type LegacyExchangeSettings = z.infer<typeof legacyExchangeSchema>;

/**
 * Whether the stack of the obsolete bank exchange is synthesized. The option `-c legacy` overrides the stage's setting.
 * @throws Error that lists the possible values.
 */
export function legacyDeployment(
  context: string | undefined,
  { deploy }: LegacyExchangeSettings,
): LegacyExchangeSettings['deploy'] {
  if (context === undefined) return deploy;
  const { options } = legacyExchangeSchema.shape.deploy;
  const found = options.find((option) => option === context);
  if (found) return found;
  throw new Error(`-c legacy=${context} is unknown: use -c legacy=<${options.join(' | ')}>.`);
}
