import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/**
 * Checks every resource against the AWS Solutions rules of cdk-nag. A finding fails the synth by its name, unless the construct
 * that it concerns acknowledges it.
 */
export function checkWithNag(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

/** Lets a finding stand, such as `S1` or `IAM5[Resource::*]`, on a construct and all below it. The reason is for who reviews the code. */
export function acknowledge(construct: IConstruct, finding: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${finding}`, reason });
}
