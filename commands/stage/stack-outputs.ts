import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { Refusal } from '../refusal.ts';
import { clientSettings, type PlaceOptions, place } from './place.ts';

/**
 * Finds a stage's stack, that of its orders unless said otherwise: answers the value of an output by its name.
 * @throws Refusal when the stack is not deployed there; the answer does when an output is not there.
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
    `There is no stack ${stackName} in this account and region of ${where}: nothing was done. Name the stage with --stage, ` +
      'and check AWS_PROFILE and AWS_REGION.',
  );
}
