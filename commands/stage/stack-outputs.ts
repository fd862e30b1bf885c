import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { Refusal } from '../refusal.ts';
import { clientSettings, type PlaceOptions, place } from './place.ts';

/**
 * Finds a stage's stack, by default the order stack. The returned function gives the value of an output by name.
 * @throws Refusal when the stack is not deployed; the returned function throws it when the output is missing.
 */
export async function stackOutputs(
  options: PlaceOptions,
  StackName = `LoanOrders-${options.stage}`,
): Promise<(name: string) => string> {
  const client = new CloudFormationClient(clientSettings(options));
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName })).catch((error: Error) => {
    throw isMissingStack(error) ? missing(StackName, place(options)) : error;
  });
  if (!stack) throw missing(StackName, place(options));
  return (name) => {
    const value = stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value) return value;
    throw new Refusal(
      `Stack ${StackName} has no output ${name}: nothing was done. Deploy the stage again, then repeat.`,
    );
  };
}

function isMissingStack(error: Error): boolean {
  return error instanceof CloudFormationServiceException && /does not exist/.test(error.message);
}

function missing(stackName: string, where: string): Refusal {
  return new Refusal(
    `There is no stack ${stackName} in this account and region of ${where}: nothing was done. Check --stage, AWS_PROFILE ` +
      'and AWS_REGION.',
  );
}
