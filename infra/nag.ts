import { type App, Stack, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { AwsSolutionsChecks, NIST80053R5Checks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/**
 * Checks every resource against two packs of rules of cdk-nag: AWS Solutions, and NIST 800-53 revision 5. A finding fails the synth
 * unless it is acknowledged.
 */
export function checkWithNag(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new NIST80053R5Checks(app));
}

/**
 * Accepts a finding of the AWS Solutions rules, such as `S1` or `IAM5[Resource::*]`, on a construct and its children. The reason is
 * for reviewers.
 */
export function acknowledge(construct: IConstruct, finding: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${finding}`, reason });
}

/** Accepts a finding of the NIST 800-53 rules, such as `LambdaDLQ`, on a construct and its children. */
export function acknowledgeNist(construct: IConstruct, finding: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `NIST.800.53.R5::NIST.800.53.R5-${finding}`, reason });
}

/** Accepts that rights of a role or a policy name their resources by patterns. Resources without a pattern are no finding. */
export function acknowledgePatterns(construct: IConstruct, resources: readonly string[], reason: string): void {
  const names = resources.map((resource) => findingName(Stack.of(construct).resolve(resource)));
  for (const name of new Set(names.filter((one) => one.includes('*')))) {
    acknowledge(construct, `IAM5[Resource::${name}]`, reason);
  }
}

/** A resource as cdk-nag names it in a finding: what only a deployment knows is in angle brackets. */
function findingName(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const {
    Ref,
    'Fn::GetAtt': attribute,
    'Fn::Join': join,
  } = resource as {
    Ref?: string;
    'Fn::GetAtt'?: string[];
    'Fn::Join'?: [string, unknown[]];
  };
  if (join) return join[1].map(findingName).join(join[0]);
  return `<${attribute ? attribute.join('.') : Ref}>`;
}

/** Accepts what cdk-nag finds in our state machines. */
export function acknowledgeStateMachine(stateMachine: StateMachine, role: Role): void {
  acknowledge(
    stateMachine,
    'SF2',
    'The record and the history of each execution show what happened: nobody would read X-Ray traces.',
  );
  acknowledge(
    role,
    'IAM5[Resource::*]',
    'The log delivery of Step Functions needs actions without resource-level permissions.',
  );
  acknowledgeInlinePolicy(role);
}

/** Accepts that a role's rights are written in the role itself. */
export function acknowledgeInlinePolicy(role: Role): void {
  acknowledgeNist(
    role,
    'IAMNoInlinePolicy',
    'These rights are for this role alone and end with it. Nobody can attach an inline policy to another role by mistake.',
  );
}
