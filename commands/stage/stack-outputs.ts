import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { mismatch, type StageHome } from '../../infra/stage-home.ts';
import { Refusal } from '../refusal.ts';
import { clientSettings, type PlaceOptions, place } from './place.ts';

/** Returns the value of an output by name, or `otherwise` if the stack has none. Throws a Refusal if both are missing. */
export type Outputs = (name: string, otherwise?: string) => string;

/**
 * Finds a stage's stack, by default the order stack. `home` is where the stage belongs, by default what its settings say.
 * @throws Refusal when the stack is not deployed, or is in another account or region than its settings say.
 */
export async function stackOutputs(
  options: PlaceOptions,
  StackName = `LoanOrders-${options.stage}`,
  home?: StageHome,
): Promise<Outputs> {
  const belongs = home ?? (await homeOf(options));
  const client = new CloudFormationClient(clientSettings(options));
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName })).catch((error: Error) => {
    throw isMissingStack(error) ? missing(StackName, place(options), belongs) : error;
  });
  if (!stack) throw missing(StackName, place(options), belongs);
  const [, , , region, account] = stack.StackId?.split(':') ?? [];
  const problem = belongs && mismatch(belongs, { account, region });
  if (problem !== undefined) throw new Refusal(`${problem} Nothing was done.`);
  return (name, otherwise) => {
    const value = stack.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value) return value;
    if (otherwise !== undefined) return otherwise;
    throw new Refusal(
      `Stack ${StackName} has no output ${name}: nothing was done. Deploy the stage again, then repeat.`,
    );
  };
}

/** The names of the resources of a type that a stage's stack has. */
export async function namesInStack(options: PlaceOptions, type: string): Promise<string[]> {
  const client = new CloudFormationClient(clientSettings(options));
  const names: string[] = [];
  const query = { StackName: `LoanOrders-${options.stage}` };
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, query)) {
    for (const { ResourceType, PhysicalResourceId } of StackResourceSummaries) {
      if (ResourceType === type && PhysicalResourceId !== undefined) names.push(PhysicalResourceId);
    }
  }
  return names;
}

function isMissingStack(error: Error): boolean {
  return error instanceof CloudFormationServiceException && /does not exist/.test(error.message);
}

/** Where a stage of AWS belongs. The settings are loaded here, because most of a command's start is loading. */
async function homeOf({ stage, local }: PlaceOptions): Promise<StageHome | undefined> {
  if (local) return undefined;
  return (await import('../../infra/stages.ts')).stageSettings(stage);
}

function missing(stackName: string, where: string, { account, region }: Partial<StageHome> = {}): Refusal {
  const parts = [account && `account ${account}`, region && `region ${region}`].filter(Boolean);
  const belongs = parts.length > 0 ? ` The stage belongs to ${parts.join(' and ')}.` : '';
  return new Refusal(
    `There is no stack ${stackName} in this account and region of ${where}: nothing was done. Check --stage, AWS_PROFILE ` +
      `and AWS_REGION.${belongs}`,
  );
}
