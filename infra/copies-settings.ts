import { z } from 'zod';
import { keyArn } from './signing-settings.ts';

const BUCKET_ARN = /^arn:aws[a-z-]*:s3:::[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const bucketArn = (of: string) =>
  z
    .string()
    .regex(BUCKET_ARN, { error: 'must be the ARN of a bucket, such as arn:aws:s3:::copies-of-intake' })
    .describe(`The ARN of the bucket for copies of ${of}. It needs versions, and a lifecycle of its own.`);

/** The copies of the data in another region or account (docs/recovery.md). */
export const copiesSchema = z
  .strictObject({
    intake: bucketArn('intake'),
    staging: bucketArn('staging'),
    account: z
      .string()
      .regex(/^\d{12}$/, { error: 'must be 12 digits' })
      .optional()
      .describe('The account of these buckets, 12 digits, if it is another.'),
    key: keyArn('must be the ARN of a KMS key')
      .optional()
      .describe('The ARN of the KMS key for the copies, in their region. Needed unless `encryption` is `aws-managed`.'),
  })
  .optional()
  .describe(
    'Buckets in another region or account to which S3 copies each new version of a file. Deletions, and so erasures and the retention of this stage, are not copied. Default: no copies.',
  );
