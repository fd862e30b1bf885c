import { isFingerprint } from '@business-loan-orders/detached-signatures/signer-name';
import * as z from 'zod';
import { address } from './order-service-settings.ts';
import { caBundle, fitsEnvironment, keyArn, orderDataSchema, revocationLists, wholeNumber } from './setting-kinds.ts';

const days = wholeNumber(1, 365);

/** Bytes, as JSON. */
const LONGEST_RULE = 3_000;

/** Names of signers are part of the environment of functions. Bytes as JSON. */
const [MOST_SIGNERS, LONGEST_SIGNERS] = [50, 1_000] as const;

/** Key specs that KMS can sign with: RSA (PKCS #1 v1.5, SHA-256), P-256 (SHA-256), P-384 (SHA-384). */
const keySpecs = ['RSA_2048', 'RSA_3072', 'RSA_4096', 'ECC_NIST_P256', 'ECC_NIST_P384'] as const;

/** A key that the stack creates, or the ARN of an existing one. */
const WRONG_KEY = `must be { create: <${keySpecs.join(' | ')}> } or the ARN of a KMS key`;
const signingKey = z.union([z.strictObject({ create: z.enum(keySpecs) }), keyArn(WRONG_KEY)], { error: WRONG_KEY });

const MOST_DAYS = 36_500;

const keptDays = z.union([wholeNumber(1, MOST_DAYS), z.literal('keep')], {
  error: `must be a number of days from 1 to ${MOST_DAYS}, or keep`,
});

/** Bytes as JSON. Pointers into offers are part of the environment of functions. */
const LONGEST_POINTER = 50;
const [MOST_LABELS, LABEL] = [8, /^(?!bank$)[a-z][A-Za-z0-9]{0,29}$/] as const;
const NO_POINTER = 'must be a JSON Pointer (RFC 6901), such as /company/name';

const anyPointer = z
  .string()
  .max(200)
  .regex(/^(?:\/(?:[^/~]|~[01])*)+$/, { error: NO_POINTER });
const at = (meaning: string) =>
  anyPointer.superRefine((text, context) => fitsEnvironment(text, LONGEST_POINTER, context)).describe(meaning);
const described = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape).optional().describe('A number and its unit.');
const oneOf = <Unit extends string>(...units: Unit[]) => z.enum(units).describe('Its unit.');

const asNumber = (value: number | 'keep') => (value === 'keep' ? Number.POSITIVE_INFINITY : value);

/** The office's settings: how orders are checked, signed and chosen, and how long their data is retained. */
export const orderSettings = {
  orderSchema: orderDataSchema
    .optional()
    .describe(
      "The path of a JSON Schema (draft 2020-12) of the order data, from the folder of this file. Packages are checked with it before anything is sent: the service's `VALIDATION_FAILED` is final. Default: any object.",
    ),
  signing: z
    .strictObject({
      mode: z
        .enum(['external', 'kms'])
        .default('external')
        .describe("Who signs when a package does not say: your own signer, or the stage's KMS key."),
      key: signingKey
        .optional()
        .describe(
          'The KMS key that signs documents, and nothing else: one that the stack creates, of this key spec, or the ARN of yours. Required when `mode` is `kms`.',
        ),
      evidenceKey: signingKey
        .optional()
        .describe('The KMS key that signs evidence, and nothing else. Another one than `key`.'),
      gate: z
        .enum(['off', 'check', 'strict'])
        .default('check')
        .describe(
          'Which signatures are sent. `check` refuses wrong ones, `strict` also what `unchecked` would accept, `off` checks none.',
        ),
      unchecked: z
        .enum(['refuse', 'accept'])
        .default('refuse')
        .describe(
          'Whether signatures are sent whose algorithm is not known here: not RSA, ECDSA or GOST R 34.10-2012. Each that is sent is counted, and the first causes an alarm.',
        ),
      signers: z
        .array(z.string().min(1).max(200))
        .min(1, { error: 'must name somebody: leave it out if anybody may sign' })
        .max(MOST_SIGNERS)
        .superRefine((signers, context) => fitsEnvironment(JSON.stringify(signers), LONGEST_SIGNERS, context))
        .optional()
        .describe(
          "Who may sign: each text is an INN, the SHA-256 fingerprint of a certificate, or the certificate's common name. Default: anybody whose certificate is accepted.",
        ),
      caBundle: caBundle
        .optional()
        .describe(
          "The authorities that may have issued the signers' certificates: PEM text, or the path of a PEM file. Default: any.",
        ),
      crl: revocationLists
        .optional()
        .describe(
          'Lists of revoked certificates of these authorities: PEM text, or the path of a PEM file. A revoked signer is refused. An expired list causes an alarm, and `strict` refuses. Default: revocation is not checked.',
        ),
      revocation: z
        .strictObject({
          from: z
            .array(z.union([z.enum(['intake', 'lists', 'ocsp']), address, z.strictObject({ ocsp: address })]))
            .max(3)
            .default([])
            .describe(
              'Where it is said who was revoked: `intake` (`signing/revocation-lists.pem` in its bucket: a new one needs no deployment), `lists` and `ocsp` (the public addresses that certificates name), or an address, also a private one: of a list or, as `{ ocsp: <address> }`, of a responder (RFC 6960). Needs `caBundle`.',
            ),
          unknown: z
            .enum(['accept', 'wait', 'refuse'])
            .default('accept')
            .describe(
              'What becomes of a signature if no current list shows its signer. `accept` causes an alarm, and `strict` refuses; with `wait` it is checked again every six hours.',
            ),
        })
        .prefault({})
        .describe('How revocation is checked beside `crl`.'),
      timeStampAuthorities: caBundle
        .optional()
        .describe(
          'The authorities whose time stamps (CAdES-T) are believed, as `caBundle`: a certificate that has expired since counts if the time stamp is older. Default: none.',
        ),
      largestSignatureBytes: wholeNumber(1, 16 * 1024 * 1024)
        .default(4 * 1024 * 1024)
        .describe('A larger signature is rejected. A function reads it into memory.'),
      compareDocuments: z
        .boolean()
        .default(true)
        .describe(
          'Whether a document is downloaded once more before its signature is sent, to notice that it has changed.',
        ),
    })
    .refine(({ mode, key }) => mode === 'external' || key !== undefined, {
      error: "is required when mode is kms: give { create: '<key spec>' } or the ARN of a key",
      path: ['key'],
    })
    .refine(({ signers = [], caBundle: authorities }) => authorities !== undefined || signers.every(isFingerprint), {
      error: 'must be fingerprints without signing.caBundle: anybody can issue a certificate with any name and INN',
      path: ['signers'],
    })
    .refine(({ key, evidenceKey }) => typeof key !== 'string' || key !== evidenceKey, {
      error: 'must be another key than signing.key, which signs only what the order service asks for',
      path: ['evidenceKey'],
    })
    .prefault({})
    .describe('How documents are signed, and which signatures are sent (docs/signing.md).'),
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
  labels: z
    .record(z.string().regex(LABEL, { error: 'must be a name such as taxOffice, other than bank' }), anyPointer)
    .refine((labels) => Object.keys(labels).length <= MOST_LABELS, { error: `must have at most ${MOST_LABELS} labels` })
    .default({})
    .describe(
      'What people recognise an order by: JSON Pointers (RFC 6901) into `order` of `order.json`. Lists show `company`, `inn`, `amount` and `currency`; an order shows all. Personal data (docs/data.md).',
    ),
  offerLabels: z
    .strictObject({
      bank: at('The name of the bank.').optional(),
      currency: at('The currency of sums.').optional(),
      amount: at('The sum.').optional(),
      expiresAt: at('Until when it can be taken: a date, or a time with its zone (ISO 8601).').optional(),
      term: described({ at: at('The term.'), unit: oneOf('days', 'weeks', 'months', 'years') }),
      rate: described({ at: at('The rate of a year.'), unit: oneOf('percent', 'fraction') }),
      payment: described({ at: at('A regular payment.'), every: oneOf('week', 'month', 'quarter', 'year') }),
    })
    .prefault({})
    .describe('Where offers say what people compare: JSON Pointers into a credit option, or else into its offer.'),
  signaturesDeadlineDays: days.default(30).describe('How long signatures are waited for.'),
  decisionDeadlineDays: days.default(30).describe('How long a decision on the offers is waited for.'),
  retention: z
    .strictObject({
      documentsDays: keptDays
        .default(90)
        .describe(
          'How long the files of an order are kept in both buckets after its end, in days. Answers to rejected uploads are kept as long after the upload.',
        ),
      recordDays: keptDays
        .default(365)
        .describe(
          'How long the record of an order is kept after its end, in days, at least `documentsDays`. Then only references and the proof of the removal stay.',
        ),
      legalHold: z
        .boolean()
        .default(false)
        .describe(
          '`true` keeps everything of every order, whatever the days say, and `erase` refuses. It needs `keepData: true`.',
        ),
    })
    .refine(({ documentsDays, recordDays }) => asNumber(recordDays) >= asNumber(documentsDays), {
      error: 'must have recordDays >= documentsDays, because the record says what became of the files',
    })
    .prefault({})
    .describe('How long data of orders that are over is kept. `keep` keeps it for ever. The sweep removes it.'),
};
