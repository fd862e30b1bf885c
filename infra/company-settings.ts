import { z } from 'zod';

const POLICY = /^(arn:aws[a-z-]*:iam::(\d{12}|aws):policy\/)?[\w+=,.@/-]{1,512}$/;
export const policySchema = z.string().regex(POLICY, { error: 'must be the ARN or the name of a managed policy' });

/** Beside those of the stack and of CloudFormation. AWS allows 50 for a resource. */
const MOST_TAGS = 40;
/** What every service accepts (AWS Tagging, "Tag naming limits and requirements"). */
const TAG = /^[\p{L}\p{Z}\p{N}_.:/=+@-]*$/u;
const WRONG_KEY =
  'must have keys of 1 to 128 letters, digits, spaces and _ . : / = + - @, which do not begin with aws:';
const WRONG_VALUE = 'must be at most 256 letters, digits, spaces and _ . : / = + - @';
const tagKey = z
  .string()
  .regex(TAG)
  .min(1)
  .max(128)
  .refine((key) => !/^aws:/i.test(key));
const tagValue = z
  .string({ error: 'must be a text, in quotes' })
  .max(256, { error: WRONG_VALUE })
  .regex(TAG, { error: WRONG_VALUE });

const bucketName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: 'must be the name of a bucket' })
  .optional();

/** The rules of the company that the account belongs to. */
export const companySettings = {
  tags: z
    .record(z.string(), tagValue)
    .refine((tags) => Object.keys(tags).every((key) => tagKey.safeParse(key).success), { error: WRONG_KEY })
    .refine((tags) => Object.keys(tags).length <= MOST_TAGS, { error: `must have at most ${MOST_TAGS} tags` })
    // IAM does not distinguish them, and would refuse the roles.
    .refine((tags) => new Set(Object.keys(tags).map((key) => key.toLowerCase())).size === Object.keys(tags).length, {
      error: 'must have keys that differ by more than capital letters',
    })
    .default({})
    .describe('Tags of every resource and of the stack. `project` and `stage` are there without it.'),
  permissionsBoundary: policySchema
    .optional()
    .describe(
      'The managed policy, by its ARN or name, that bounds the permissions of every role. It must allow what functions do.',
    ),
  bootstrapQualifier: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,10}$/, { error: 'must have at most 10 letters, digits, _ and -' })
    .optional()
    .describe('The qualifier of your `cdk bootstrap --qualifier`. Default: that of the CDK.'),
  buckets: z
    .strictObject({
      intake: bucketName.describe('The name of the bucket that the partner writes.'),
      staging: bucketName.describe('The name of the bucket that the partner reads.'),
    })
    .refine(({ intake, staging }) => intake === undefined || intake !== staging, { error: 'must be two buckets' })
    .prefault({})
    .describe(
      'Buckets of yours, in the account and region of the stage (docs/settings.md says what they need). Default: the stack creates them. Choose before the first deployment: no object is moved.',
    ),
  namePrefix: z
    .string()
    .regex(/^[a-z](-?[a-z0-9])*$/, { error: 'must have a-z, 0-9 and single hyphens, and begin with a letter' })
    .max(8)
    .optional()
    .describe(
      'What all names begin with, followed by a hyphen, at most 8 characters. Choose it before the first deployment: another one makes another stage.',
    ),
};
