import jsonata from 'jsonata';
import * as z from 'zod/mini';

/** Names that every file system, S3 and the service's multipart header take as they are. */
const FILE = /^documents\/[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** With the longest identifiers in it, the record of an order stays under DynamoDB's 400 KB. */
export const MOST_DOCUMENTS = 100;

const identifier = (meaning: string) => z.string().check(z.minLength(1), z.maxLength(256), z.describe(meaning));

const documentSchema = z
  .strictObject({
    file: z
      .string()
      .check(
        z.maxLength(256),
        z.regex(FILE),
        z.describe('Path of the file inside the package, below documents/: letters A-Z a-z, digits, . _ - and /.'),
      ),
    entityId: identifier('Identifier of the entity the document belongs to.'),
    sourceEntityId: identifier('Identifier of the source entity.'),
    docType: identifier('Type of the document, in the words of the order service.'),
  })
  .check(z.describe('One document that the order service requires.'));

/** A rule that is too long is refused before anybody parses it. */
const ruleSchema = z.string().check(z.minLength(1), z.maxLength(20_000, { abort: true }), z.refine(isExpression));

const offersSchema = z
  .strictObject({
    choose: z.optional(z.enum(['manual', 'rule'])).check(z.describe('Who chooses among the AVAILABLE offers.')),
    rule: z
      .optional(ruleSchema)
      .check(z.describe('JSONata expression over { order, offers } that returns [{ "offerId": …, "code": … }].')),
  })
  .check(z.describe("How offers are chosen; the stage's default where it is absent."));

/** `order.json`. The JSON Schema for editors is generated from it: `npm run generate`. */
export const packageSchema = z
  .strictObject({
    $schema: z.optional(z.string()),
    order: z.record(z.string(), z.unknown()).check(
      z.refine((order) => Object.keys(order).length > 0),
      z.describe('The order data: sent to POST /v1/orders exactly as it stands.'),
    ),
    documents: z
      .array(documentSchema)
      .check(z.minLength(1), z.maxLength(MOST_DOCUMENTS), z.describe('The documents that the order service requires.')),
    signing: z
      .optional(z.enum(['external', 'kms']))
      .check(
        z.describe(
          "Who signs: the partner's own signer, or the stage's KMS key. The stage's default where it is absent.",
        ),
      ),
    offers: z.optional(offersSchema),
  })
  .check(z.describe('An order package: order.json, with its files beside it.'));

/** Whether a document may be called this, and so can be looked up in intake. */
export function isFileName(file: unknown): file is string {
  return typeof file === 'string' && file.length <= 256 && FILE.test(file);
}

export type OrderPackage = z.infer<typeof packageSchema>;

function isExpression(text: string): boolean {
  try {
    jsonata(text);
    return true;
  } catch {
    return false;
  }
}
