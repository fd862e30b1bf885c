import * as z from 'zod';
import { keyArn } from './setting-kinds.ts';

const POLICY = /^(arn:aws:iam::(\d{12}|aws):policy\/)?[\w+=,.@/-]{1,512}$/;
export const policySchema = z.string().regex(POLICY, { error: 'must be the ARN or the name of a managed policy' });

/** In addition to the tags of the stack and of CloudFormation. AWS allows 50 per resource. */
const MOST_TAGS = 40;
/** Characters that every service accepts (AWS Tagging, "Tag naming limits and requirements"). */
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
const keysWith = (tags: object) => [...new Set(['project', 'stage', ...Object.keys(tags)])];

const bucketName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: 'must be the name of a bucket' })
  .optional();

const WRONG_ENCRYPTION = 'must be aws-managed, stack-key or the ARN of a KMS key';
const ACCOUNT = /^\d{12}$/;
/** The definition of the state machine names the partition `aws`. China lacks X-Ray for Lambda. */
const OTHER_PARTITION = /^(cn|us-gov|us-iso\w?|eu-isoe|eusc)-/;
export const regionSchema = z
  .string()
  .regex(/^[a-z]{2,4}(-[a-z]+)+-\d$/, { error: 'must be the name of a region, such as eu-central-1' })
  .refine((region) => !OTHER_PARTITION.test(region), {
    error: 'must be a region of the partition aws: in China, GovCloud and other partitions, no order would run',
  });

function id(prefix: string, what: string) {
  const error = `must be the id of a ${what}, such as ${prefix}-0a1b2c3d`;
  return z.string().regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), { error });
}

const TABLE_NAME = /^[A-Za-z0-9_.-]{3,255}$/;

const PRINCIPAL = /^arn:aws:iam::\d{12}:(root|(role|user)\/[\w+=,.@/-]{1,512})$/;
const WRONG_PRINCIPAL =
  'must be the ARN of a role, a user or an account, such as arn:aws:iam::111122223333:role/crm or arn:aws:iam::111122223333:root';

const principals = (what: string) =>
  z
    .array(z.string().regex(PRINCIPAL, { error: WRONG_PRINCIPAL }))
    .max(20)
    .default([])
    .describe(`ARNs of those that may upload ${what}, at most 20. \`root\` means everybody whom that account allows.`);

/** Where the stage is deployed, and the company's rules for it. */
export const deploymentSettings = {
  account: z
    .string({ error: 'must be 12 digits in quotes' })
    .regex(ACCOUNT, { error: 'must be 12 digits' })
    .optional()
    .describe(
      'The AWS account that the stage belongs to, 12 digits. Credentials of another account are refused. Default: the account of the credentials.',
    ),
  region: regionSchema
    .optional()
    .describe('The region of the stage. A command for another region is refused. Default: AWS_REGION.'),
  tags: z
    .record(z.string(), tagValue)
    .refine((tags) => Object.keys(tags).every((key) => tagKey.safeParse(key).success), { error: WRONG_KEY })
    .refine((tags) => Object.keys(tags).length <= MOST_TAGS, { error: `must have at most ${MOST_TAGS} tags` })
    // IAM ignores the case of keys, and would reject the roles.
    .refine((tags) => new Set(keysWith(tags).map((key) => key.toLowerCase())).size === keysWith(tags).length, {
      error: 'must have keys that differ by more than capital letters, also from project and stage',
    })
    .default({})
    .describe('Tags of every resource and of the stack. `project` and `stage` are there without it.'),
  permissionsBoundary: policySchema
    .optional()
    .describe(
      'The managed policy, by its ARN or name, that bounds the permissions of every role. It must allow what functions do.',
    ),
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
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/, { error: 'must be the name of a stack' })
    .optional()
    .describe(
      'The stack that the stage is in, if it is one of yours (docs/deployment.md, "In a CDK app of yours"). Default: `LoanOrders-<stage>`.',
    ),
  // Ids only: a look-up would need credentials at every synth.
  network: z
    .strictObject({
      vpc: id('vpc', 'VPC').describe('The id of your VPC.'),
      subnets: z
        .array(id('subnet', 'subnet'))
        .min(1)
        .max(16)
        .describe(
          'Ids of private subnets with a route to the order service, such as a NAT gateway. Use two in different zones.',
        ),
      securityGroups: z
        .array(id('sg', 'security group'))
        .min(1)
        .max(5)
        .optional()
        .describe(
          "Ids of the functions' security groups. Default: one that the stack creates, which accepts no connections, and opens only those to port 443 and to the ports of the services.",
        ),
    })
    .describe(
      'The network in which functions run. Without it, they run in a network of Lambda, and their addresses change.',
    )
    .optional(),
  encryption: z
    .union([z.enum(['aws-managed', 'stack-key']), keyArn(WRONG_ENCRYPTION)], { error: WRONG_ENCRYPTION })
    .default('aws-managed')
    .describe(
      'Who encrypts buckets, table, secret, queues and log groups: AWS with its own keys, a key that the stack creates, or yours by its ARN. Choose it before the first deployment: what was stored under another key stays under it.',
    ),
  // Principals of other accounts. Principals of the stage's own account use the policies for people.
  uploads: z
    .strictObject({
      packages: principals('packages'),
      signatures: principals('signatures'),
      decisions: principals('decisions'),
    })
    // A bucket's policy has at most 20 KB, and names each of them twice (test/infra/quotas.test.ts).
    .refine((uploads) => JSON.stringify(uploads).length <= 9_000, { error: 'must have at most 9,000 characters' })
    .prefault({})
    .describe('Who may upload to intake from other accounts (docs/deployment.md, "Uploads from elsewhere").'),
  existing: z
    .strictObject({
      table: z
        .string()
        .regex(TABLE_NAME, { error: 'must be the name of a table: 3 to 255 of A-Z a-z 0-9 _ . -' })
        .optional()
        .describe(
          'The name of a table of orders that was restored (docs/recovery.md). The stack gives rights on it and leaves its settings alone. The stage calls nobody until `restored` was run. Default: a table that the stack creates.',
        ),
    })
    .prefault({})
    .describe('Resources that exist already.'),
  keepData: z
    .boolean()
    .default(true)
    .describe(
      'Whether buckets, table, secret, log groups and created keys outlive the stack. `true` also protects stack and table from deletion.',
    ),
};
