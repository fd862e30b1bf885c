import { z } from 'zod';
import { MAX_DOCUMENTS, MAX_RULE_CHARACTERS } from '../core/package/package-schema.ts';
import { whole } from './whole-number.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Limits that a stage sets: the largest files, and the most documents and offers. A `decision.json` has its own (core/package/decision-limits.ts). */
export const limitsSchema = z
  .strictObject({
    orderJsonBytes: whole(KIB, 8 * MIB)
      .default(MIB)
      .describe('The largest `order.json`. A function parses it in memory.'),
    documents: whole(1, MAX_DOCUMENTS)
      .default(MAX_DOCUMENTS)
      .describe('Documents of a package. The record and the history of an execution hold no more than the maximum.'),
    documentBytes: whole(KIB, 5 * GIB)
      .default(5 * GIB)
      .describe(
        'The largest document. A larger one in a package is rejected; a larger one to sign fails the order as `UnexpectedResponse`.',
      ),
    packageBytes: whole(2 * KIB, 500 * GIB)
      .default(50 * GIB)
      .describe(
        '`order.json` and all documents of a package together, when the order starts. At least `orderJsonBytes`.',
      ),
    answerBytes: whole(64 * KIB, 32 * MIB)
      .default(8 * MIB)
      .describe(
        'The largest answer of a service that is not a file. A function holds it in memory. An answer of the order service may also have at most 100,000 values.',
      ),
    offers: whole(1, 10_000)
      .default(1_000)
      .describe('Offers in one answer. More are treated like an answer that is too large.'),
    ruleCharacters: whole(100, MAX_RULE_CHARACTERS).default(20_000).describe('Characters of the rule of a package.'),
  })
  .refine(({ packageBytes, orderJsonBytes }) => orderJsonBytes <= packageBytes, {
    error: 'must have orderJsonBytes <= packageBytes',
  })
  .prefault({})
  .describe('What is larger is refused, and the refusal names the setting. Lower the limits to what your orders need.');

export type Limits = z.infer<typeof limitsSchema>;
