import { type Json, objectOf, UnsupportedError } from '../protocol/operation.ts';
import type { Services } from '../services.ts';
import type { AssemblyStack } from './assembly.ts';
import { createProvision, isInert } from './resources.ts';
import { type DeployedResource, loadStack } from './stack.ts';

const FUNCTION = 'AWS::Lambda::Function';
const RULE = 'AWS::Events::Rule';
const HTTP_API = 'AWS::ApiGatewayV2::Api';

/** Types whose resources an update may change. Updates do not change resources with data. */
const CHANGEABLE = new Set([FUNCTION, RULE, 'AWS::Lambda::EventInvokeConfig', 'AWS::StepFunctions::StateMachine']);
/** Types that every deployment provisions again, because it first removes all policies. */
const IDENTITY = new Set(['AWS::IAM::Role', 'AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::Lambda::Permission']);
/** Removing this resource is ignored: versions are usually retained. They exist until their function is removed. */
const OUTLIVES = 'AWS::Lambda::Version';

/** Outputs by stack, then by name. */
export type Outputs = Record<string, Record<string, string>>;

/** Returns the function that deploys stacks. The first call creates them; later calls update them in place while executions run. */
export function createDeployments(services: Services) {
  const { account, bus, iam, lambda, cloudFormation, httpApis } = services;
  const deployed = new Map<string, ReadonlyMap<string, DeployedResource>>();
  const remove = (stack: AssemblyStack, before: typeof none, after: typeof none): void => {
    const kept = new Set([...after.values()].map(({ provisioned }) => provisioned.ref));
    for (const [logicalId, { type, isKept, provisioned }] of before) {
      if (kept.has(provisioned.ref)) continue;
      if (type === FUNCTION) lambda.remove(provisioned.ref);
      else if (type === RULE) bus.removeRule(provisioned.attributes.Arn ?? '');
      else if (!isKept && !CHANGEABLE.has(type) && !IDENTITY.has(type) && type !== OUTLIVES && !isInert(type)) {
        throw new UnsupportedError(`Stack ${stack.name}: an update removes ${logicalId} (${type}), ${ONLY}`);
      }
    }
  };
  return async (stacks: readonly AssemblyStack[]): Promise<Outputs> => {
    const startup: (() => Promise<void>)[] = [];
    const provision = createProvision(services, startup);
    const exports = new Map<string, Json>();
    const allOutputs: Outputs = {};
    await httpApis.open(stacks.flatMap(typesIn).filter((type) => type === HTTP_API).length);
    iam.forgetPolicies();
    for (const stack of stacks) {
      const before = deployed.get(stack.name) ?? none;
      const { outputs, resources } = loadStack(stack, account, keeping(stack, before, provision), exports);
      remove(stack, before, resources);
      deployed.set(stack.name, resources);
      allOutputs[stack.name] = outputs;
      cloudFormation.add(stack, outputs, resources);
    }
    for (const start of startup) await start();
    iam.reassumeRoles();
    return allOutputs;
  };
}

const none: ReadonlyMap<string, DeployedResource> = new Map();

const ONLY =
  'which is not supported. The embedded AWS updates only functions, rules, state machines and policies in place: restart it.';

function typesIn({ template: { Resources: resources } }: AssemblyStack): unknown[] {
  return Object.values(objectOf(resources)).map((one) => objectOf(one).Type);
}

function keeping(
  stack: AssemblyStack,
  before: ReadonlyMap<string, DeployedResource>,
  provision: ReturnType<typeof createProvision>,
): ReturnType<typeof createProvision> {
  return (declaration) => {
    const { logicalId, type, properties } = declaration;
    const known = before.get(logicalId);
    if (!known || IDENTITY.has(type)) return provision(declaration);
    if (known.type === type && known.properties === JSON.stringify(properties)) return known.provisioned;
    if (known.type === type && (CHANGEABLE.has(type) || isInert(type))) return provision(declaration);
    throw new UnsupportedError(`Stack ${stack.name}: an update changes ${logicalId} (${type}), ${ONLY}`);
  };
}
