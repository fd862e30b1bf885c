import type { CloudFormationClient, Stack } from '@aws-sdk/client-cloudformation';
import type { PackageSettings } from '../../core/package/whole-package.ts';
import type { DeployedSettings } from '../../infra/deployed-settings.ts';
import { ordersStackName } from '../../infra/names.ts';
import { LAPTOP_STAGE } from '../../infra/stage-folder.ts';
import { mismatch, type StageHome } from '../../infra/stage-home.ts';
import { ignoring } from './failure.ts';
import { clientSettings, type PlaceOptions, place } from './place.ts';
import { Refusal } from './text.ts';

/** Returns the value of an output by name, or `otherwise` if the stack has none. Throws a Refusal if both are missing. */
export type Outputs = (name: string, otherwise?: string) => string;

/**
 * Finds a stage's stack, by default the order stack. `home` is the stage's account and region. Default: from its file, if there is one.
 * @throws Refusal when the stack is not deployed, or is in another account or region than its file says.
 */
export async function stackOutputs(
  options: PlaceOptions,
  nameOf = ordersStackName,
  home?: StageHome,
): Promise<Outputs> {
  const belongs = home ?? (await homeOf(options));
  const StackName = nameOf(belongs);
  const { CloudFormationClient } = await import('@aws-sdk/client-cloudformation');
  const stack = await findStack(new CloudFormationClient(clientSettings(options)), StackName);
  if (!stack) throw missing(StackName, place(options), belongs);
  const [, , , region, account] = stack.StackId?.split(':') ?? [];
  const problem = mismatch(belongs, { account, region });
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

export async function findStack(client: CloudFormationClient, StackName: string): Promise<Stack | undefined> {
  const { DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const isMissing = ({ message }: Error) => /does not exist/.test(message);
  const found = await client.send(new DescribeStacksCommand({ StackName })).catch(ignoring(isMissing));
  return found?.Stacks?.[0];
}

export async function namesInStack(options: PlaceOptions, type: string): Promise<string[]> {
  const { CloudFormationClient, paginateListStackResources } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(clientSettings(options));
  const names: string[] = [];
  const query = { StackName: ordersStackName(await homeOf(options)) };
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, query)) {
    for (const { ResourceType, PhysicalResourceId } of StackResourceSummaries) {
      if (ResourceType === type && PhysicalResourceId !== undefined) names.push(PhysicalResourceId);
    }
  }
  return names;
}

/** Lets the SDK's clients look where the stage is, unless the user names another region. */
export function lookedForThere<Home extends StageHome>(home: Home): Home {
  if (home.region !== undefined) process.env.AWS_REGION ||= home.region;
  return home;
}

/** The account, region and names of a stage, from its file. Without the file, the names come from the environment. */
export async function homeOf({ stage, local, namePrefix: announced }: PlaceOptions): Promise<StageHome> {
  const isLaptop = local && stage === LAPTOP_STAGE;
  // Imported only when needed, because imports take most of a command's start.
  const known = isLaptop ? undefined : (await import('../../infra/stages.ts')).knownStage(stage);
  if (known && !local) return lookedForThere(known);
  const { LOAN_ORDERS_NAME_PREFIX: prefix, LOAN_ORDERS_STACK: stackName } = local || known ? {} : process.env;
  const namePrefix = announced ?? known?.namePrefix ?? prefix;
  return { name: stage, ...(namePrefix && { namePrefix }), ...(stackName && { stackName }) };
}

/**
 * The settings that decide whether a package has problems. An output is too short for the schema of order data: without the stage's file,
 * only intake uses it.
 */
export async function packagesOf({ stage }: PlaceOptions, { packages }: DeployedSettings): Promise<PackageSettings> {
  const { orderSchema } = (await import('../../infra/stages.ts')).knownStage(stage) ?? {};
  return { ...packages, orderSchema: orderSchema === undefined ? undefined : JSON.parse(orderSchema) };
}

export const settingsOf = (outputs: Outputs) => JSON.parse(outputs('Settings')) as DeployedSettings;

/** The name of the table of orders if the stack did not create it. */
export function adoptedTable(outputs: Outputs): string | undefined {
  const { adoptedTable: adopted } = JSON.parse(outputs('Settings', '{}')) as Partial<DeployedSettings>;
  return adopted && outputs('OrderTable');
}

function missing(stackName: string, where: string, { account, region }: StageHome): Refusal {
  const parts = [account && `account ${account}`, region && `region ${region}`].filter(Boolean);
  const belongs = parts.length > 0 ? ` The stage belongs to ${parts.join(' and ')}.` : '';
  return new Refusal(
    `There is no stack ${stackName} in this account and region of ${where}: nothing was done. Check --stage, AWS_PROFILE ` +
      `and AWS_REGION.${belongs}`,
  );
}
