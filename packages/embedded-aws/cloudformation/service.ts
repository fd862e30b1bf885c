import { type Account, arn } from '../account.ts';
import { AwsError, type Json, type JsonObject, type Operations, optionalString } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import type { AssemblyStack } from './assembly.ts';
import type { DeployedResource } from './stack.ts';

interface CreatedStack {
  stack: AssemblyStack;
  id: string;
  outputs: Record<string, string>;
  resources: ReadonlyMap<string, DeployedResource>;
  createdAt: number;
}

const CREATED = 'CREATE_COMPLETE';

export function createCloudFormation(account: Account, clock: Clock) {
  const stacks = new Map<string, CreatedStack>();
  const chosen = (input: JsonObject): CreatedStack[] => {
    const nameOrId = optionalString(input, 'StackName');
    if (nameOrId === undefined) return [...stacks.values()];
    const found = [...stacks.values()].find(({ stack, id }) => stack.name === nameOrId || id === nameOrId);
    if (found) return [found];
    throw new AwsError('ValidationError', `Stack with id ${nameOrId} does not exist`);
  };
  const operations: Operations = {
    DescribeStacks: (input) => ({ Stacks: { member: chosen(input).map(describe) } }),
    ListStackResources: (input) => ({ StackResourceSummaries: { member: chosen(input).flatMap(resourcesOf) } }),
  };
  return {
    operations,
    add: (stack: AssemblyStack, outputs: Record<string, string>, resources: CreatedStack['resources']) => {
      const id = arn(account, 'cloudformation', `stack/${stack.name}/local`);
      stacks.set(stack.name, { stack, id, outputs, resources, createdAt: clock.now() });
    },
    /** The ARN that IAM checks for a request about a stack. The stack need not exist. */
    arnOf: (nameOrId: Json = '*'): string => {
      const text = String(nameOrId);
      return text.startsWith('arn:') ? text : arn(account, 'cloudformation', `stack/${text}/*`);
    },
  };
}

function resourcesOf({ resources, createdAt }: CreatedStack): object[] {
  return [...resources].map(([LogicalResourceId, { type, provisioned }]) => ({
    LogicalResourceId,
    PhysicalResourceId: provisioned.ref,
    ResourceType: type,
    LastUpdatedTimestamp: new Date(createdAt).toISOString(),
    ResourceStatus: CREATED,
  }));
}

function describe({ stack, id, outputs, createdAt }: CreatedStack): object {
  return {
    StackId: id,
    StackName: stack.name,
    CreationTime: new Date(createdAt).toISOString(),
    StackStatus: CREATED,
    DisableRollback: false,
    Outputs: { member: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })) },
  };
}
