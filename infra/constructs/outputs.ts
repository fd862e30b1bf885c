import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Adds outputs to the stack of the scope, by name: commands look for these names. Outputs without a value are left out. */
export function addOutputs(
  scope: Construct,
  outputs: Record<string, [value: string | undefined, description: string]>,
) {
  for (const [name, [value, description]] of Object.entries(outputs)) {
    if (value !== undefined) new CfnOutput(scope, name, { value, description }).overrideLogicalId(name);
  }
}
