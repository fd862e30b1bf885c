import { type App, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
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

/** What cdk-nag finds in a state machine that logs and does not trace. */
export function acknowledgeStateMachine(stateMachine: StateMachine, role: Role): void {
  acknowledge(
    stateMachine,
    'SF2',
    'The record and the history of each execution say what happened: nothing would read the traces.',
  );
  acknowledge(role, 'IAM5[Resource::*]', 'The log delivery of Step Functions has actions that know no resources.');
}
