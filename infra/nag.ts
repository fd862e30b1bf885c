import { type App, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** Checks every resource against the AWS Solutions rules of cdk-nag. A finding fails the synth unless it is acknowledged. */
export function checkWithNag(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

/** Accepts a finding, such as `S1` or `IAM5[Resource::*]`, on a construct and its children. The reason is for reviewers. */
export function acknowledge(construct: IConstruct, finding: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${finding}`, reason });
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
}
