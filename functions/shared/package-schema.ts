import jsonata from 'jsonata';
import * as z from 'zod';

/** Names that every file system, S3 and the service's multipart header take as they are. */
const FILE = /^documents\/[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** With the longest identifiers in it, the record of an order stays under DynamoDB's 400 KB. */
export const MOST_DOCUMENTS = 100;

const identifier = (meaning: string) => z.string().min(1).max(256).describe(meaning);

const documentSchema = z
  .strictObject({
    file: z
      .string()
      .max(256)
      .regex(FILE)
      .describe('Path of the file inside the package, below documents/: letters A-Z a-z, digits, . _ - and /.'),
    entityId: identifier('Identifier of the entity the document belongs to.'),
    sourceEntityId: identifier('Identifier of the source entity.'),
    docType: identifier('Type of the document, in the words of the order service.'),
  })
  .describe('One document that the order service requires.');

const offersSchema = z
  .strictObject({
    choose: z.enum(['manual', 'rule']).optional().describe('Who chooses among the AVAILABLE offers.'),
    rule: z
      .string()
      .min(1)
      .max(20_000)
      .refine(isExpression)
      .optional()
      .describe('JSONata expression over { order, offers } that returns [{ "offerId": …, "code": … }].'),
  })
  .describe("How offers are chosen; the stage's default where it is absent.");

/** `order.json`. The JSON Schema for editors is generated from it: `npm run generate`. */
export const packageSchema = z
  .strictObject({
    $schema: z.string().optional(),
    order: z
      .record(z.string(), z.unknown())
      .refine((order) => Object.keys(order).length > 0)
      .describe('The order data: sent to POST /v1/orders exactly as it stands.'),
    documents: z
      .array(documentSchema)
      .min(1)
      .max(MOST_DOCUMENTS)
      .describe('The documents that the order service requires.'),
    signing: z
      .enum(['external', 'kms'])
      .optional()
      .describe("Who signs: the partner's own signer, or the stage's KMS key. The stage's default where it is absent."),
    offers: offersSchema.optional(),
  })
  .describe('An order package: order.json, with its files beside it.');

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
