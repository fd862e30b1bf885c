import { PERMISSIONS_BOUNDARY_CONTEXT_KEY, PermissionsBoundary, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { policySchema } from './deployment-settings.ts';
import { SettingsError } from './stage-folder.ts';
import { environmentOf } from './stage-home.ts';
import type { Stage } from './stages.ts';

/** The properties of both stacks that follow from the company's rules. The CDK's context overrides the settings. */
export function companyProps(scope: Construct, stage: Stage, stackName: string): StackProps {
  const boundary = boundaryOf(scope, stage);
  return {
    ...environmentOf(stage),
    stackName,
    tags: tagsOf(stage),
    ...(boundary && { permissionsBoundary: boundary }),
  };
}

/** cfn-lint rejects tags on a dashboard. */
export const UNTAGGED = { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] };

export const tagsOf = ({ name, tags }: Stage): Record<string, string> => ({
  project: 'loan-orders',
  stage: name,
  ...tags,
});

/**
 * `-c` passes a string, which the CDK silently ignores: it expects `{ name }` or `{ arn }`.
 * @throws SettingsError if the context names no policy.
 */
function boundaryOf(scope: Construct, { permissionsBoundary }: Stage): PermissionsBoundary | undefined {
  const context: unknown = scope.node.tryGetContext(PERMISSIONS_BOUNDARY_CONTEXT_KEY);
  const given = typeof context === 'string' && context.startsWith('{') ? objectIn(context) : context;
  const { arn, name } = (given ?? {}) as { arn?: string; name?: string };
  const named = arn ?? name ?? given ?? permissionsBoundary;
  if (named === undefined) return undefined;
  const { data: policy } = policySchema.safeParse(named);
  if (policy === undefined)
    throw new SettingsError(
      `-c ${PERMISSIONS_BOUNDARY_CONTEXT_KEY}=… must be the ARN or the name of a managed policy.`,
    );
  return policy.startsWith('arn:') ? PermissionsBoundary.fromArn(policy) : PermissionsBoundary.fromName(policy);
}

function objectIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
