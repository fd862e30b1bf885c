import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { clientSettings, type PlaceOptions } from './place.ts';

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
