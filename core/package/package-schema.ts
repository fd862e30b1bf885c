import jsonata from 'jsonata';
import * as z from 'zod/mini';
import { FILE, LONGEST_FILE } from './file-name.ts';

/** This many documents with the longest identifiers fit into an order's record. DynamoDB limits an item to 400 KB. */
export const MAX_DOCUMENTS = 100;

/** No stage allows a longer rule: it is parsed before anything is known of it. */
export const MAX_RULE_CHARACTERS = 100_000;

const identifier = (meaning: string) => z.string().check(z.minLength(1), z.maxLength(256), z.describe(meaning));

const documentSchema = z
  .strictObject({
    file: z
      .string()
      .check(
        z.maxLength(LONGEST_FILE),
        z.regex(FILE),
        z.describe('Path of the file in the package, below documents/. Allowed characters: A-Z a-z 0-9 . _ - and /.'),
      ),
    entityId: identifier('Identifier of the entity the document belongs to.'),
    sourceEntityId: identifier('Identifier of the source entity.'),
    docType: identifier('Type of the document, as the order service names it.'),
  })
  .check(z.describe('One document that the order service requires.'));

/** `abort` refuses a rule that is too long before it is parsed. */
const ruleSchema = z
  .string()
  .check(z.minLength(1), z.maxLength(MAX_RULE_CHARACTERS, { abort: true }), z.refine(isExpression));

const offersSchema = z
  .strictObject({
    choose: z.optional(z.enum(['manual', 'rule'])).check(z.describe('Who chooses among the AVAILABLE offers.')),
    rule: z
      .optional(ruleSchema)
      .check(z.describe('JSONata expression over { order, offers } that returns [{ "offerId": …, "code": … }].')),
  })
  .check(z.describe("How offers are chosen. Default: the stage's setting."));

/** The schema of `order.json`. */
export const packageSchema = z
  .strictObject({
    $schema: z.optional(z.string()),
    order: z.record(z.string(), z.unknown()).check(
      z.refine((order) => Object.keys(order).length > 0),
      z.describe('The order data. It is sent unchanged to POST /v1/orders.'),
    ),
    documents: z
      .array(documentSchema)
      .check(z.minLength(1), z.maxLength(MAX_DOCUMENTS), z.describe('The documents that the order service requires.')),
    signing: z
      .optional(z.enum(['external', 'kms']))
      .check(z.describe("Who signs: the partner's own signer, or the stage's KMS key. Default: the stage's setting.")),
    offers: z.optional(offersSchema),
  })
  .check(z.describe('An order package: order.json, with its files beside it.'));

/** The JSON Schema of `order.json`, for editors. */
export function orderSchema(): object {
  return { title: 'order.json of a business-loan order package', ...z.toJSONSchema(packageSchema) };
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
