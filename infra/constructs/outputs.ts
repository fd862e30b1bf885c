import { CfnOutput, type Stack } from 'aws-cdk-lib';

/** Adds outputs to the stack, by name. Outputs without a value are left out. */
export function addOutputs(stack: Stack, outputs: Record<string, [value: string | undefined, description: string]>) {
  for (const [id, [value, description]] of Object.entries(outputs)) {
    if (value !== undefined) new CfnOutput(stack, id, { value, description });
  }
}
