import { z } from 'zod';

const PRINCIPAL = /^arn:aws[a-z-]*:iam::\d{12}:(root|(role|user)\/[\w+=,.@/-]{1,512})$/;
const WRONG_PRINCIPAL =
  'must be the ARN of a role, a user or an account, such as arn:aws:iam::111122223333:role/crm or arn:aws:iam::111122223333:root';

const principals = (what: string) =>
  z
    .array(z.string().regex(PRINCIPAL, { error: WRONG_PRINCIPAL }))
    .max(20)
    .default([])
    .describe(`ARNs of those that may upload ${what}, at most 20. \`root\` means everybody whom that account allows.`);

/** Principals of other accounts. Those of the stage's own account have the policies for people. */
export const uploadsSchema = z
  .strictObject({
    packages: principals('packages'),
    signatures: principals('signatures'),
    decisions: principals('decisions'),
  })
  .prefault({})
  .describe('Who may upload to intake from other accounts (docs/deployment.md, "Uploads from elsewhere").');
