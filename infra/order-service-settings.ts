import * as z from 'zod';
import { READS_PER_EXECUTION } from '../core/order/work-size.ts';
import { ORDER_STATUSES } from '../core/order-service/order-status.ts';
import { ASSUMED_NAMES, type ServiceNames } from '../core/order-service/service-names.ts';
import { NOT_CREATED } from '../core/service/what-answers-prove.ts';
import { caBundle, fitsEnvironment, wholeNumber } from './setting-kinds.ts';

/** Only the laptop may use http. Paths are added to it, and fetch refuses a user's name in it. */
export const address = z
  .url({ protocol: /^https?$/ })
  .max(200)
  .refine((text) => !/[?#]|:\/\/[^/]*@/.test(text), { error: 'must have no user, query or fragment' });

const SECRET_ARN = /^arn:aws:secretsmanager:[a-z0-9-]+:\d{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}$/;

const WRONG = {
  error: 'must be true, or the whole ARN of a secret, with the six characters that AWS adds to its name',
};

/** How the functions connect to a service and to its authorization service (the specification shows neither). */
export const connectionSettings = {
  caBundle: caBundle
    .optional()
    .describe(
      'Authorities of the certificates of the service and its authorization service, beside those that Node trusts: PEM text, or the path of a PEM file from the folder of this file.',
    ),
  clientCertificate: z
    .union([z.literal(true), z.string().regex(SECRET_ARN, WRONG)], WRONG)
    .optional()
    .describe(
      'The secret with the client certificate that both services ask for (mutual TLS): `true` for one that the stack creates, or the ARN of yours.',
    ),
};

export type ConnectionSettings = z.infer<z.ZodObject<typeof connectionSettings>>;

/** As JSON. A status takes some 30 bytes. */
const MOST_STATUS_BYTES = 1_000;

const name = (field: keyof ServiceNames, meaning: string) =>
  z.string().min(1).max(100).default(ASSUMED_NAMES[field]).describe(`The service's name of ${meaning} (not shown).`);
const namesSchema: Record<keyof ServiceNames, ReturnType<typeof name>> = {
  orderId: name('orderId', "the order's identifier in the answer to its creation"),
  signatureId: name('signatureId', 'the identifier in the answer to a signature'),
  offerStatus: name('offerStatus', 'the status of an offer'),
  confirmOfferId: name('confirmOfferId', "the offer's identifier in a confirm"),
  confirmCode: name('confirmCode', 'the code of the credit option in a confirm'),
};

const WRONG_STATUS = { error: 'must be from 400 to 499, or 503' };
const statuses = z
  .array(
    z
      .int(WRONG_STATUS)
      .min(400, WRONG_STATUS)
      .max(503, WRONG_STATUS)
      .refine((status) => status < 500 || status === 503, WRONG_STATUS),
  )
  .max(100);
const notDone = (what: string, whenNot: string) =>
  statuses.describe(
    `Statuses that prove that ${what} was not done (not shown). 503 counts with \`Retry-After\` alone. ${whenNot}`,
  );

const READS_TELL = 'After any other status, reads find out.';

const CONTENT_TYPE = /^(?=.{3,100}$)[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/;

/** A header (RFC 9110, 5.6.2) that neither we send nor HTTP itself. */
const FREE_HEADER =
  /^(?!(accept.*|authorization|connection|content-.*|cookie|expect|host|keep-alive|proxy-.*|te|trailer|traceparent|transfer-encoding|upgrade|user-agent|x-request-id)$)[\w!#$%&'*+.^`|~-]{1,64}$/i;

/** Each function that calls the order service needs one run. */
export const LEAST_CALLS_AT_ONCE = 7;

const KIB = 1024;
const GIB = 1024 * 1024 * KIB;

/** The properties of the order service, and how it is called (specification, 4.1 and 5.4). */
export const orderServiceSettings = {
  orderService: z
    .strictObject({
      baseUrl: address
        .refine((text) => !/\/v1\/?$/.test(text), { error: 'must end before /v1, which each call adds' })
        .describe('Base address of the order API, without `/v1`.'),
      authorizationUrl: address.describe('Base address of its authorization service.'),
      ...connectionSettings,
      tokenPath: z
        .enum(['/oauth2/token', '/token'])
        .default('/oauth2/token')
        .describe('Path of the token endpoint below `authorizationUrl`.'),
      clientAuthentication: z
        .enum(['body', 'basic'])
        .default('body')
        .describe(
          'How the client authenticates at the token endpoint: in the form, or by HTTP Basic (RFC 6749, 2.3.1).',
        ),
      contentType: z
        .string()
        .regex(CONTENT_TYPE, { error: 'must be a content type, such as application/json; charset=utf-8' })
        .default('application/json')
        .describe('Content type of the creation and confirm bodies (not shown).'),
      names: z
        .strictObject(namesSchema)
        .prefault({})
        .describe("The service's names for fields whose names are not shown."),
      otherStatuses: z
        .record(z.string().min(1).max(100), z.enum(ORDER_STATUSES))
        .superRefine((statuses, context) => fitsEnvironment(JSON.stringify(statuses), MOST_STATUS_BYTES, context))
        .default({})
        .describe(
          "Statuses beyond the seven, each with the one of them that it is treated as: `{ BANK_REVIEW: 'IN_WORK' }`.",
        ),
      compareOrderId: z
        .boolean()
        .default(true)
        .describe('Whether a read that names another order than the one that was asked for is unusable (not shown).'),
      notDone: z
        .strictObject({
          creation: notDone('a creation', 'After any other status, a person must find out.').default(NOT_CREATED),
          accept: notDone('an accept', READS_TELL).default([]),
          confirm: notDone('a confirm', READS_TELL).default([]),
        })
        .prefault({})
        .describe(
          'What a status proves. Gateways repeat calls by themselves, and may answer after the service did the work.',
        ),
      uploaded: z
        .array(wholeNumber(200, 299))
        .min(1)
        .max(10)
        .default([201])
        .describe('Statuses that mean that a document or a signature was taken. After another, it is sent again.'),
      documentTypes: z
        .array(
          z.string().regex(/^[^A-Z\s;/]{1,40}\/[^A-Z\s;/]{1,40}$/, { error: 'must be a content type in lower case' }),
        )
        .min(1)
        .max(5)
        .default(['*/*'])
        .describe(
          'Content types of documents to sign, such as `image/*`. `text/html` must be named. Another is downloaded again.',
        ),
      fieldCharset: z
        .enum(['none', 'utf-8'])
        .default('none')
        .describe(
          'The charset that text fields of forms name. Without it, some services misread Cyrillic (not shown).',
        ),
      idempotencyHeader: z
        .string()
        .regex(FREE_HEADER, { error: 'must be the name of a header that calls do not have already' })
        .optional()
        .describe(
          'The header in which each call that changes something sends its idempotency key, such as `Idempotency-Key`: the same in all its attempts, another after a refusal (not shown). Default: none.',
        ),
      idempotent: z
        .boolean()
        .default(false)
        .describe(
          'Whether the service does once what comes with one key, also if two requests come together, and remembers successes alone, for longer than `outagePatienceHours` (not shown). Then a creation of unknown outcome is sent again by itself.',
        ),
      acceptBody: z
        .enum(['none', 'empty-object'])
        .default('none')
        .describe('Whether an accept has no body or the body `{}` (not shown).'),
      confirmNumbers: z
        .enum(['as-numbers', 'as-texts'])
        .default('as-texts')
        .describe('How a confirm sends an `offerId` or `code` that the service lists as a number (not shown).'),
    })
    .refine(({ idempotent, idempotencyHeader }) => !idempotent || idempotencyHeader !== undefined, {
      error: 'must be false without orderService.idempotencyHeader',
      path: ['idempotent'],
    })
    .describe('The order service of the stage.'),
  token: z
    .strictObject({
      expiresInUnit: z
        .enum(['seconds', 'milliseconds'])
        .default('seconds')
        .describe('Unit of `expires_in` (not shown).'),
      defaultLifetimeSeconds: wholeNumber(1)
        .default(60)
        .describe('Lifetime of a token whose `expires_in` is missing or unusable.'),
    })
    .prefault({})
    .describe("Tokens of the order service's authorization service."),
  pollAfterSeconds: z
    .strictObject({
      minimum: wholeNumber(1)
        .default(5)
        .describe('A shorter `pollAfterSeconds` of the service is raised to this. No wait is ever shortened.'),
      fallback: wholeNumber(1)
        .default(30)
        .describe('The wait when the service sends no usable `pollAfterSeconds`. At least `minimum`.'),
      long: wholeNumber(1)
        .default(86_400)
        .describe("A longer wait is kept, raises an alarm, and ends early only by a person's word."),
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
  outagePatienceHours: wholeNumber(1, 8_760)
    .default(72)
    .describe(
      'How long an order that an outage stopped is started again by itself, and how long the service may turn its calls away with `Retry-After`. Then the order waits for an operator.',
    ),
  repeatsLimit: wholeNumber(1)
    .default(3)
    .describe('A read may be stale: a status that was already handled is believed after this many reads in a row.'),
  settlingSeconds: wholeNumber(0, 3_600)
    .default(600)
    .describe(
      'How long those reads must span. It is longer than a call can still be under way (the function, a gateway, the service) and a read can be stale together.',
    ),
  unusableReadsLimit: wholeNumber(1, READS_PER_EXECUTION)
    .default(5)
    .describe(
      'After this many unusable answers to reads in a row, over `settlingSeconds`, the execution ends as in an outage. Each execution counts from zero.',
    ),
  callsAtOnce: wholeNumber(LEAST_CALLS_AT_ONCE, 10_000)
    .optional()
    .describe(
      'The most calls to the order service at once, of all orders together (docs/settings.md, "Calls at once"). Default: any number.',
    ),
  limits: z
    .strictObject({
      documentBytes: wholeNumber(KIB, 5 * GIB)
        .default(5 * GIB)
        .describe(
          'The largest document. A larger one in a package is rejected; a larger one to sign fails the order as `UnexpectedResponse`.',
        ),
    })
    .prefault({})
    .describe(
      'What is larger is refused, and the refusal names the setting. Lower the limit to what your orders need.',
    ),
};
