import type { Account } from '../account.ts';
import { isJsonObject, type Json, type JsonObject, objectOf, UnsupportedError } from '../protocol/operation.ts';
import type { AssemblyStack } from './assembly.ts';
import { type References, resolve } from './intrinsics.ts';

/** A resource in a template, with its properties resolved. */
export interface ResourceDeclaration {
  logicalId: string;
  type: string;
  properties: JsonObject;
  stack: AssemblyStack;
}

/** The values of a created resource for `Ref` and `Fn::GetAtt`. */
export interface ProvisionedResource {
  ref: string;
  attributes: Record<string, string>;
}

export interface DeployedResource {
  type: string;
  properties: string;
  /** The deletion policy retains the resource when it is removed from the template. */
  isKept: boolean;
  provisioned: ProvisionedResource;
}

export type Provision = (declaration: ResourceDeclaration) => ProvisionedResource;

/**
 * Creates the resources of a stack, adds its exports to `exports`, and returns its outputs and resources. Resources are created on first
 * reference, so declaration order does not matter.
 */
export function loadStack(stack: AssemblyStack, account: Account, provision: Provision, exports: Map<string, Json>) {
  const resources = new Map<string, DeployedResource>();
  const inProgress = new Set<string>();
  const section = (name: string) => objectOf(stack.template[name]);
  const fail = (problem: string) => new UnsupportedError(`Stack ${stack.name}${problem}`);
  const resourceOf = (logicalId: string): ProvisionedResource => {
    const existing = resources.get(logicalId);
    if (existing) return existing.provisioned;
    const resource = section('Resources')[logicalId];
    if (!isJsonObject(resource)) throw fail(` has no resource ${logicalId}.`);
    if (inProgress.has(logicalId)) throw fail(`: ${[...inProgress, logicalId].join(' -> ')} is a circular dependency.`);
    inProgress.add(logicalId);
    const properties = resolve(resource.Properties ?? {}, references) as JsonObject;
    const type = String(resource.Type);
    const provisioned = provision({ logicalId, type, properties, stack });
    inProgress.delete(logicalId);
    const isKept = /^Retain/.test(String(resource.DeletionPolicy));
    resources.set(logicalId, { type, properties: JSON.stringify(properties), isKept, provisioned });
    return provisioned;
  };
  const pseudoParameters = pseudoParametersOf(stack.name, account);
  const references: References = {
    ref: (name) => {
      const pseudo = pseudoParameters[name];
      if (pseudo !== undefined) return pseudo;
      const parameter = section('Parameters')[name];
      if (!isJsonObject(parameter)) return resourceOf(name).ref;
      if (parameter.Default !== undefined) return parameter.Default;
      throw fail(`: the parameter ${name} has no default.`);
    },
    attribute: (logicalId, attribute) => {
      const value = resourceOf(logicalId).attributes[attribute];
      if (value !== undefined) return value;
      throw fail(`: the attribute ${attribute} of ${logicalId} (${resources.get(logicalId)?.type}) is unknown.`);
    },
    importValue: (name) => {
      const value = exports.get(name);
      if (value !== undefined) return value;
      throw fail(` imports ${name}, which no stack before it exports.`);
    },
  };
  const isWanted = ({ Condition: condition }: JsonObject): boolean => {
    if (typeof condition !== 'string') return true;
    const wanted = section('Conditions')[condition];
    if (wanted === undefined) throw fail(` has no condition ${condition}.`);
    return resolve(wanted, references) === true;
  };
  for (const [logicalId, resource] of Object.entries(section('Resources'))) {
    if (isJsonObject(resource) && isWanted(resource)) resourceOf(logicalId);
  }
  const outputs: Record<string, string> = {};
  for (const [name, output] of Object.entries(section('Outputs'))) {
    if (!isJsonObject(output) || !isWanted(output)) continue;
    const value = resolve(output.Value ?? null, references);
    outputs[name] = String(value);
    if (isJsonObject(output.Export)) exports.set(String(resolve(output.Export.Name ?? null, references)), value);
  }
  return { outputs, resources };
}

const pseudoParametersOf = (stack: string, { accountId, region }: Account): Record<string, Json> => ({
  'AWS::AccountId': accountId,
  'AWS::Region': region,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': stack,
  'AWS::StackId': `arn:aws:cloudformation:${region}:${accountId}:stack/${stack}/local`,
});
