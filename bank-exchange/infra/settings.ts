import { z } from 'zod';
import { address, connectionSettings } from '../../infra/order-service-settings.ts';
import type { Stage, StageName } from '../../infra/stages.ts';
import { whole } from '../../infra/whole-number.ts';

/** With more pages, each with all its retries, an execution could reach its history limit. */
export const MAX_PAGES_PER_EXECUTION = 200;

/** Specification, 4.3 and 9 (version 1.1). */
const exchangeSchema = z
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
      .max(100)
      .optional()
      .describe(
        'Property of the answer to `GET /requests` that holds the list (not shown). Default: the answer is the list.',
      ),
    // A page with all its retries writes 85 history events; an execution may have 25,000 (bank-exchange/test/infra/state-machine.test.ts).
    pagesPerExecution: whole(1, MAX_PAGES_PER_EXECUTION).describe(
      'Pages after which a run continues in a new execution.',
    ),
  })
  .refine(({ take, pageOverlap }) => pageOverlap < take, { error: 'must have pageOverlap < take' });

/** Values that the stages share. */
const common = {
  deploy: 'no',
  fetchRequestsEveryMinutes: 5,
  fetchInnsEveryMinutes: 60,
  take: 100,
  pageOverlap: 10,
  windowOverlapMinutes: 60,
  creationDateFormat: 'date-time',
  pagesPerExecution: 100,
} as const;

export type ExchangeSettings = z.infer<typeof exchangeSchema>;

/** The settings of each stage. The specification does not show the addresses: replace those that end in `.example`. */
const stages: Record<StageName, unknown> = {
  test: {
    ...common,
    baseUrl: 'https://exchange.test.example',
    authorizationUrl: 'https://authorization.test.example',
  },
  prod: {
    ...common,
    baseUrl: 'https://exchange.prod.example',
    authorizationUrl: 'https://authorization.prod.example',
  },
  local: {
    ...common,
    fetchRequestsEveryMinutes: 1,
    fetchInnsEveryMinutes: 1,
    baseUrl: 'http://127.0.0.1:4010',
    authorizationUrl: 'http://127.0.0.1:4010',
  },
};

/**
 * The checked settings of the exchange in a stage.
 * @throws Error that names the stage and every setting that is missing or malformed.
 */
export function exchangeSettings(name: StageName, all: Record<string, unknown> = stages): ExchangeSettings {
  const result = (name === 'local' ? exchangeSchema : deployedSchema).safeParse(all[name]);
  if (result.success) return result.data;
  const settings = result.error.issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
  throw new Error(`Settings in bank-exchange/infra/settings.ts cannot be used.\n${settings.join('\n')}`);
}

/** Only the laptop may use plain HTTP: the client secret is sent to these addresses. */
const deployedSchema = exchangeSchema.superRefine((settings, context) => {
  for (const name of ['baseUrl', 'authorizationUrl'] as const) {
    if (settings[name].startsWith('https://')) continue;
    context.addIssue({ code: 'custom', path: [name], message: 'must start with https://' });
  }
});

/** A stage as the exchange's stack sees it. */
export type ExchangeStage = Stage & { exchange: ExchangeSettings };

/** The stage with the settings of the exchange. The exchange is its service: the network opens the ports of its addresses. */
export function exchangeStage(stage: Stage, exchange = exchangeSettings(stage.name)): ExchangeStage {
  const { baseUrl, authorizationUrl } = exchange;
  return { ...stage, orderService: { ...stage.orderService, baseUrl, authorizationUrl }, exchange };
}

/**
 * Whether the stack of the obsolete bank exchange is synthesized. The option `-c legacy` overrides the stage's setting.
 * @throws Error that lists the possible values.
 */
export function deployment(context: string | undefined, { deploy }: ExchangeSettings): ExchangeSettings['deploy'] {
  if (context === undefined) return deploy;
  const { options } = exchangeSchema.shape.deploy;
  const found = options.find((option) => option === context);
  if (found) return found;
  throw new Error(`-c legacy=${context} is unknown: use -c legacy=<${options.join(' | ')}>.`);
}
