import { z } from 'zod';
import { MOST_READS_PER_EXECUTION } from '../core/order/work-size.ts';
import { alarmSchema } from './alarm-settings.ts';
import { companySettings } from './company-settings.ts';
import { existingSchema } from './existing-settings.ts';
import { limitsSchema } from './limits-settings.ts';
import { networkSchema } from './network-settings.ts';
import { orderDataSchema } from './order-data-settings.ts';
import { orderServiceSchema } from './order-service-settings.ts';
import { retentionSchema } from './retention-settings.ts';
import { keyArn, signingSchema } from './signing-settings.ts';
import { tracingSchema } from './tracing-settings.ts';
import { uploadsSchema } from './uploads-settings.ts';
import { fitsEnvironment, whole } from './whole-number.ts';

const days = whole(1, 365);
/** Each function that calls the order service needs one run. */
export const LEAST_CALLS_AT_ONCE = 7;

/** Bytes, as JSON. */
const LONGEST_RULE = 3_000;

const WRONG_ENCRYPTION = 'must be aws-managed, stack-key or the ARN of a KMS key';
const ACCOUNT = /^\d{12}$/;
const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** `describe` explains each setting: `npm run generate` makes the table of settings of it (scripts/write-settings.ts). */
export const stageSchema = z
  .strictObject({
    account: z
      .string({ error: 'must be 12 digits in quotes' })
      .regex(ACCOUNT, { error: 'must be 12 digits' })
      .optional()
      .describe(
        'The AWS account that the stage belongs to, 12 digits. Credentials of another account are refused. Default: the account of the credentials.',
      ),
    region: z
      .string()
      .regex(REGION, { error: 'must be the name of a region, such as eu-central-1' })
      .optional()
      .describe('The region of the stage. A command for another region is refused. Default: AWS_REGION.'),
    ...companySettings,
    network: networkSchema.optional(),
    orderService: orderServiceSchema,
    orderSchema: orderDataSchema
      .optional()
      .describe(
        "The path of a JSON Schema (draft 2020-12) of the order data, from the folder of this file. Packages are checked with it before anything is sent: the service's `VALIDATION_FAILED` is final. Default: any object.",
      ),
    token: z
      .strictObject({
        expiresInUnit: z
          .enum(['seconds', 'milliseconds'])
          .default('seconds')
          .describe('Unit of `expires_in` (not shown).'),
        defaultLifetimeSeconds: whole(1)
          .default(60)
          .describe('Lifetime of a token whose `expires_in` is missing or unusable.'),
      })
      .prefault({})
      .describe("Tokens of the order service's authorization service."),
    pollAfterSeconds: z
      .strictObject({
        minimum: whole(1)
          .default(5)
          .describe('A shorter `pollAfterSeconds` of the service is raised to this. No wait is ever shortened.'),
        fallback: whole(1)
          .default(30)
          .describe('The wait when the service sends no usable `pollAfterSeconds`. At least `minimum`.'),
        long: whole(1).default(86_400).describe("A longer wait is kept, logged, and shown in the order's timeline."),
        growth: z
          .number()
          .min(0)
          .max(1)
          .default(0.05)
          .describe(
            'The wait grows to this share of the time that the order has been in its status, up to a day: with 0.05 a change is noticed at most 5 % late. 0 switches this off.',
          ),
      })
      .refine(({ minimum, fallback }) => minimum <= fallback, { error: 'must have minimum <= fallback' })
      .prefault({})
      .describe('The wait between two reads of an order.'),
    outagePatienceHours: whole(1, 8_760)
      .default(72)
      .describe(
        'How long an order that an outage stopped is started again by itself, and how long the service may turn its calls away with `Retry-After`. Then the order waits for an operator.',
      ),
    readsPerExecution: whole(1, MOST_READS_PER_EXECUTION)
      .default(200)
      .describe(
        'Reads after which an order continues in a new execution, before the history limit of Step Functions. Work counts as reads too.',
      ),
    repeatsLimit: whole(1)
      .default(3)
      .describe('A read may be stale: a status that was already handled is believed after this many reads in a row.'),
    settlingSeconds: whole(0, 3_600)
      .default(600)
      .describe(
        'How long those reads must span. It is longer than a call can still be under way (the function, a gateway, the service) and a read can be stale together.',
      ),
    unusableReadsLimit: whole(1)
      .default(5)
      .describe(
        'After this many unusable answers to reads in a row, the order fails as `UnexpectedResponse`. At most `readsPerExecution`.',
      ),
    waitRecheckHours: whole(1, 168)
      .default(6)
      .describe('How often an order is read while it waits for people, unless the service asks for a longer wait.'),
    sweep: z
      .strictObject({
        everyMinutes: whole(1, 60).default(5).describe('How often the sweep runs.'),
        mostStarts: whole(1, 1_000)
          .default(50)
          .describe(
            'How many orders one sweep starts at most, so that a service that has just recovered is not flooded, and how many it moves to a new release.',
          ),
        mostRemovals: whole(1, 300)
          .default(100)
          .describe(
            'Of how many orders one sweep removes the files at most, and of how many it reduces the record. 100 every 5 minutes are 28,800 a day.',
          ),
      })
      .prefault({})
      .describe('The sweep finds orders that no execution drives, and starts those again that an outage stopped.'),
    holdReleases: z
      .boolean()
      .default(false)
      .describe(
        'Whether orders in flight stay in their release until `loan-orders migrate` moves them. Otherwise the sweep moves them.',
      ),
    eventConcurrency: whole(2, 1_000)
      .default(10)
      .describe(
        "How many events each of the functions that a queue invokes handles at once. Others wait in the queue. All functions of the account share Lambda's quota.",
      ),
    signaturesDeadlineDays: days.default(30).describe('How long signatures are waited for.'),
    decisionDeadlineDays: days.default(30).describe('How long a decision on the offers is waited for.'),
    signing: signingSchema,
    offers: z
      .strictObject({
        choose: z.enum(['manual', 'rule']).default('manual').describe('Who chooses when a package does not say.'),
        rule: z
          .string()
          .superRefine((rule, context) => fitsEnvironment(rule, LONGEST_RULE, context))
          .optional()
          .describe(
            `The JSONata rule for packages without one. At most ${LONGEST_RULE} bytes, because it is part of the environment of functions, which Lambda limits to 4 KB. A package may have a longer one.`,
          ),
        confirmedStatus: z
          .string()
          .min(1)
          .refine((word) => word !== 'AVAILABLE', { error: 'must be a status other than AVAILABLE' })
          .default('CONFIRMED')
          .describe(
            'Status of a confirmed offer (not shown), not `AVAILABLE`. It shows the outcome of a confirm whose answer was lost.',
          ),
      })
      .prefault({})
      .describe('How offers are chosen.'),
    limits: limitsSchema,
    callsAtOnce: whole(LEAST_CALLS_AT_ONCE, 10_000)
      .optional()
      .describe(
        'The most calls to the order service at once, of all orders together (docs/settings.md, "Calls at once"). Default: any number.',
      ),
    logRetentionDays: z
      .literal([7, 30, 90, 180, 365])
      .default(365)
      .describe('How long the logs of functions and state machines are kept.'),
    stagingHistoryDays: days.default(90).describe('How long superseded versions in the staging bucket are kept.'),
    retention: retentionSchema,
    alarms: alarmSchema,
    tracing: tracingSchema,
    events: z
      .strictObject({
        archiveDays: whole(1, 36_500)
          .optional()
          .describe('How many days an archive keeps the events, so that they can be replayed. Default: no archive.'),
      })
      .prefault({})
      .describe('The event bus on which other systems follow the orders.'),
    encryption: z
      .union([z.enum(['aws-managed', 'stack-key']), keyArn(WRONG_ENCRYPTION)], { error: WRONG_ENCRYPTION })
      .default('aws-managed')
      .describe(
        'Who encrypts buckets, table, secret, queues and log groups: AWS with its own keys, a key that the stack creates, or yours by its ARN. Choose it before the first deployment: what was stored under another key stays under it.',
      ),
    uploads: uploadsSchema,
    existing: existingSchema,
    keepData: z
      .boolean()
      .default(true)
      .describe(
        'Whether buckets, table, secret, log groups and created keys outlive the stack. `true` also protects stack and table from deletion.',
      ),
  })
  .refine(({ retention, keepData }) => keepData || !retention.legalHold, {
    error: 'must have keepData: true with retention.legalHold, because removing the stack removes the data',
  })
  .refine(({ uploads, buckets }) => !buckets.intake || Object.values(uploads).every((arns) => arns.length === 0), {
    error: 'must have uploads or buckets.intake, not both: the policy of your own bucket says who uploads',
  })
  .refine(({ unusableReadsLimit, readsPerExecution }) => unusableReadsLimit <= readsPerExecution, {
    error: 'must have unusableReadsLimit <= readsPerExecution, because each execution counts from zero',
  });

const THIS_MACHINE = /^(localhost|\[::1\]|0\.0\.0\.0|127(\.\d+){3})$/;

/** Only the laptop may use plain HTTP, or itself: the client secret and the orders are sent to these addresses. */
export const deployedStageSchema = stageSchema.superRefine((stage, context) => {
  for (const name of ['baseUrl', 'authorizationUrl'] as const) {
    const address = stage.orderService[name];
    const isRemote =
      address.startsWith('https://') && URL.canParse(address) && !THIS_MACHINE.test(new URL(address).hostname);
    const message = 'must start with https://, and be on another machine';
    if (!isRemote) context.addIssue({ code: 'custom', path: ['orderService', name], message });
  }
});
