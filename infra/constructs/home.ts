import { Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/** Holds the parts that all resources of a stage share, such as its key, if the stack is not the stage's own. */
export class StageHome extends Construct {}

export const homeOf = (scope: Construct): Construct =>
  scope.node.scopes.find((one) => one instanceof StageHome) ?? Stack.of(scope);
