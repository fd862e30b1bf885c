import { type App, Stack, Token, Validations } from 'aws-cdk-lib';
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

/** An ARN of this stack as cdk-nag names it in a finding: what is not known at synth is named in angle brackets. */
export function findingArn(scope: IConstruct, service: string, rest: string): string {
  const { account, region } = Stack.of(scope);
  const where = [
    Token.isUnresolved(region) ? '<AWS::Region>' : region,
    Token.isUnresolved(account) ? '<AWS::AccountId>' : account,
  ];
  return `arn:<AWS::Partition>:${service}:${where.join(':')}:${rest}`;
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
