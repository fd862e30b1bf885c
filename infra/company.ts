import { PermissionsBoundary, type StackProps } from 'aws-cdk-lib';
import { environmentOf } from './stage-home.ts';
import type { Stage } from './stages.ts';

/** The properties of a stage's stacks that follow from the company's rules. */
export function companyProps(stage: Stage, stackName: string): StackProps {
  const { permissionsBoundary: policy } = stage;
  const boundaryOf = policy?.startsWith('arn:') ? PermissionsBoundary.fromArn : PermissionsBoundary.fromName;
  return {
    ...environmentOf(stage),
    stackName,
    tags: tagsOf(stage),
    ...(policy !== undefined && { permissionsBoundary: boundaryOf(policy) }),
  };
}

/** cfn-lint rejects tags on a dashboard. */
export const UNTAGGED = { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] };

export const tagsOf = ({ name, tags }: Stage): Record<string, string> => ({
  project: 'loan-orders',
  stage: name,
  ...tags,
});
