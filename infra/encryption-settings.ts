import { z } from 'zod';

const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/;

/** The ARN of a KMS key. An alias is not enough: rights name the key itself. */
export const keyArn = z.string().regex(KEY_ARN, { error: 'must be the ARN of a KMS key' });

export const encryptionSchema = z
  .union([z.enum(['aws-managed', 'stack-key']), keyArn], {
    error: 'must be aws-managed, stack-key or the ARN of a KMS key',
  })
  .describe(
    'Who encrypts buckets, table, secret, queues and log groups: AWS with its own keys, a key that the stack creates, or yours by its ARN. Choose it before the first deployment: what was stored under another key stays under it.',
  );
