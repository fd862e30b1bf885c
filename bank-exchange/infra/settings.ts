import { z } from 'zod';
import { connectionSettings } from '../../infra/connection-settings.ts';
import { address } from '../../infra/order-service-settings.ts';
import { whole } from '../../infra/whole-number.ts';

/** With more pages, each with all its retries, an execution could reach its history limit. */
export const MAX_PAGES_PER_EXECUTION = 200;

/** Specification, 4.3 and 9 (version 1.1). */
export const legacyExchangeSchema = z
  .strictObject({
    deploy: z
      .enum(['no', 'beside', 'alone'])
      .describe(
        'Whether its stack is synthesized: not at all, beside the order stack, or without it. `-c legacy=…` overrides it.',
      ),
    baseUrl: address.describe('Base address of the product service.'),
    authorizationUrl: address.describe(
      'Base address of its authorization service. The token endpoint is `/token` below it.',
    ),
    ...connectionSettings,
    fetchRequestsEveryMinutes: whole(1, 1_440).describe('How often requests are fetched.'),
    fetchInnsEveryMinutes: whole(1, 1_440).describe('How often tax numbers are fetched.'),
    take: whole(2, 500).describe('Requests on a page.'),
    pageOverlap: whole(0, 250).describe('Requests that a page shares with the page before it. Less than `take`.'),
    windowOverlapMinutes: whole(0, 43_200).describe(
      'How far a run looks back (`creationDateFrom`) beyond the start of the last complete run.',
    ),
    creationDateFormat: z
      .enum(['date-time', 'date'])
      .describe('How `creationDateFrom` is written (not shown): `2026-11-20T10:15:00.000Z`, or the day alone.'),
    firstCreationDateFrom: z
      .string()
      .min(1)
      .optional()
      .describe('`creationDateFrom` before the first complete run. Default: all requests are fetched.'),
    requestsMember: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Property of the answer to `GET /requests` that holds the list (not shown). Default: the answer is the list.',
      ),
    // A page with all its retries writes 85 history events; an execution may have 25,000 (bank-exchange/test/infra/state-machine.test.ts).
    pagesPerExecution: whole(1, MAX_PAGES_PER_EXECUTION).describe(
      'Pages after which a run continues in a new execution.',
    ),
  })
  .refine(({ take, pageOverlap }) => pageOverlap < take, { error: 'must have pageOverlap < take' })
  .describe('The obsolete bank exchange, off by default.');

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
