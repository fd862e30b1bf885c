import { z } from 'zod';
import { MAX_DOCUMENTS, MAX_RULE_CHARACTERS } from '../core/package/package-schema.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** How large a package and an answer may be. A refusal names the setting. */
export const limitsSchema = z
  .strictObject({
    /** `order.json`. A function parses it in memory. */
    orderJsonBytes: z
      .int()
      .min(KIB)
      .max(8 * MIB),
    /** Documents of one package. The record and the history of an execution hold no more than the maximum. */
    documents: z.int().min(1).max(MAX_DOCUMENTS),
    /** One document, of a package or to sign. More than the maximum is not sent within a function's time. */
    documentBytes: z
      .int()
      .min(KIB)
      .max(5 * GIB),
    /** `order.json` and all documents of a package together. */
    packageBytes: z
      .int()
      .min(2 * KIB)
      .max(500 * GIB),
    /** One answer of a service. A function reads it into memory, and holds it parsed beside the text. */
    answerBytes: z
      .int()
      .min(64 * KIB)
      .max(32 * MIB),
    /** Offers in one answer. */
    offers: z.int().min(1).max(10_000),
    /** The rule of a package. */
    ruleCharacters: z.int().min(100).max(MAX_RULE_CHARACTERS),
  })
  .refine(({ packageBytes, orderJsonBytes }) => orderJsonBytes <= packageBytes, {
    error: 'must have orderJsonBytes <= packageBytes',
  });

export type Limits = z.infer<typeof limitsSchema>;

export const commonLimits: Limits = {
  orderJsonBytes: MIB,
  documents: MAX_DOCUMENTS,
  documentBytes: 5 * GIB,
  packageBytes: 50 * GIB,
  answerBytes: 8 * MIB,
  offers: 1_000,
  ruleCharacters: 20_000,
};
