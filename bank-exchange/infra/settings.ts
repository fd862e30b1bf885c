import * as z from 'zod';
import { address, connectionSettings } from '../../infra/order-service-settings.ts';
import { wholeNumber } from '../../infra/setting-kinds.ts';
import { checkSettings, readSettingsFile } from '../../infra/settings-file.ts';
import { fileOfStage, hasStage, LAPTOP_STAGE, stagesFolder } from '../../infra/stage-folder.ts';
import type { Stage } from '../../infra/stages.ts';

/** Settings of the exchange (specification, 4.3 and 9: version 1.1). */
const exchangeSchema = z
  .strictObject({
    deploy: z
      .enum(['no', 'beside', 'alone'])
      .default('no')
      .describe(
        'Whether its stack is synthesized: not at all, beside the order stack, or without it. `-c legacy=…` overrides it.',
      ),
    baseUrl: address.describe('Base address of the product service.'),
    authorizationUrl: address.describe(
      'Base address of its authorization service. The token endpoint is `/token` below it.',
    ),
    ...connectionSettings,
    fetchRequestsEveryMinutes: wholeNumber(1, 1_440).default(5).describe('How often requests are fetched.'),
    fetchInnsEveryMinutes: wholeNumber(1, 1_440).default(60).describe('How often tax numbers are fetched.'),
    take: wholeNumber(2, 500).default(100).describe('Requests on a page.'),
    pageOverlap: wholeNumber(0, 250)
      .default(10)
      .describe('Requests that a page shares with the page before it. Less than `take`.'),
    windowOverlapMinutes: wholeNumber(0, 43_200)
      .default(60)
      .describe('How far a run looks back (`creationDateFrom`) beyond the start of the last complete run.'),
    creationDateFormat: z
      .enum(['date-time', 'date'])
      .default('date-time')
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
  })
  .refine(({ take, pageOverlap }) => pageOverlap < take, { error: 'must have pageOverlap < take' });

export type ExchangeSettings = z.infer<typeof exchangeSchema>;

/** The folder, inside that of the stages, with the exchange's settings file of each stage. */
const FOLDER = 'legacy';

/**
 * Reads and checks the exchange's settings of a stage.
 * @throws SettingsError that names every missing or malformed setting.
 */
export function exchangeSettings(name: string, folder = stagesFolder()): ExchangeSettings {
  const file = readSettingsFile(fileOfStage(name, folder, FOLDER));
  return checkSettings(file, name === LAPTOP_STAGE ? exchangeSchema : deployedSchema);
}

export const hasExchange = (name: string, folder: string): boolean => hasStage(name, folder, FOLDER);

/** Only the laptop may use plain HTTP, because the client secret is sent to these addresses. */
const deployedSchema = exchangeSchema.superRefine((settings, context) => {
  for (const name of ['baseUrl', 'authorizationUrl'] as const) {
    if (settings[name].startsWith('https://')) continue;
    context.addIssue({ code: 'custom', path: [name], message: 'must start with https://' });
  }
});

export type ExchangeStage = Stage & { exchange: ExchangeSettings };

/** The stage for the exchange's stack: the service has the exchange's addresses, so the network opens their ports. The stack has its own buckets. */
export function exchangeStage(stage: Stage, exchange: ExchangeSettings): ExchangeStage {
  const { baseUrl, authorizationUrl } = exchange;
  return { ...stage, buckets: {}, orderService: { ...stage.orderService, baseUrl, authorizationUrl }, exchange };
}

/**
 * Whether to synthesize the stack of the obsolete bank exchange. The option `-c legacy` overrides the stage's setting.
 * @throws Error that lists the possible values.
 */
export function deployment(context: string | undefined, { deploy }: ExchangeSettings): ExchangeSettings['deploy'] {
  if (context === undefined) return deploy;
  const { options } = exchangeSchema.shape.deploy.unwrap();
  const found = options.find((option) => option === context);
  if (found) return found;
  throw new Error(`-c legacy=${context} is unknown: use -c legacy=<${options.join(' | ')}>.`);
}
