import type { Account } from '../account.ts';
import { isJsonObject, type Json, type JsonObject, UnsupportedError } from '../protocol/operation.ts';
import type { AssemblyStack } from './assembly.ts';
import { type References, resolve } from './intrinsics.ts';

/** A resource of a template with its properties resolved. */
export interface ResourceDeclaration {
  logicalId: string;
  type: string;
  properties: JsonObject;
  stack: AssemblyStack;
}

/** The values of a created resource that a template may refer to. */
export interface ProvisionedResource {
  ref: string;
  attributes: Record<string, string>;
}

export interface DeployedResource {
  type: string;
  /** Its resolved properties as JSON. */
  properties: string;
  /** Its deletion policy keeps it when the template has it no more. */
  isKept: boolean;
  provisioned: ProvisionedResource;
}

export type Provision = (declaration: ResourceDeclaration) => ProvisionedResource;

/** Creates a stack. Resources are created on first reference, so declaration order does not matter. */
export class StackLoader implements References {
  readonly #stack: AssemblyStack;
  readonly #account: Account;
  readonly #provision: Provision;
  readonly #exports: Map<string, Json>;
  /** The created resources, by logical id. */
  readonly resources = new Map<string, DeployedResource>();
  readonly #inProgress = new Set<string>();

  constructor(stack: AssemblyStack, account: Account, provision: Provision, exports: Map<string, Json>) {
    this.#stack = stack;
    this.#account = account;
    this.#provision = provision;
    this.#exports = exports;
  }

  /** Creates every resource, adds the stack's exports, and returns its outputs. */
  load(): Record<string, string> {
    for (const [logicalId, resource] of Object.entries(this.#section('Resources'))) {
      if (isJsonObject(resource) && this.#isWanted(resource)) this.#resource(logicalId);
    }
    const outputs: Record<string, string> = {};
    for (const [name, output] of Object.entries(this.#section('Outputs'))) {
      if (!isJsonObject(output) || !this.#isWanted(output)) continue;
      const value = resolve(output.Value ?? null, this);
      outputs[name] = String(value);
      if (isJsonObject(output.Export)) this.#exports.set(String(resolve(output.Export.Name ?? null, this)), value);
    }
    return outputs;
  }

  ref(name: string): Json {
    const pseudo = this.#pseudoParameters()[name];
    if (pseudo !== undefined) return pseudo;
    const parameter = this.#section('Parameters')[name];
    if (isJsonObject(parameter)) {
      if (parameter.Default !== undefined) return parameter.Default;
      throw new UnsupportedError(`Stack ${this.#stack.name}: the parameter ${name} has no default.`);
    }
    return this.#resource(name).ref;
  }

  attribute(logicalId: string, attribute: string): Json {
    const value = this.#resource(logicalId).attributes[attribute];
    if (value !== undefined) return value;
    const type = String((this.#section('Resources')[logicalId] as JsonObject | undefined)?.Type);
    throw new UnsupportedError(
      `Stack ${this.#stack.name}: the attribute ${attribute} of ${logicalId} (${type}) is unknown.`,
    );
  }

  importValue(name: string): Json {
    const value = this.#exports.get(name);
    if (value !== undefined) return value;
    throw new UnsupportedError(`Stack ${this.#stack.name} imports ${name}, which no stack before it exports.`);
  }

  #section(name: string): JsonObject {
    const section = this.#stack.template[name];
    return isJsonObject(section) ? section : {};
  }

  #isWanted({ Condition: condition }: JsonObject): boolean {
    if (typeof condition !== 'string') return true;
    const wanted = this.#section('Conditions')[condition];
    if (wanted === undefined) throw new UnsupportedError(`Stack ${this.#stack.name} has no condition ${condition}.`);
    return resolve(wanted, this) === true;
  }

  #resource(logicalId: string): ProvisionedResource {
    const existing = this.resources.get(logicalId);
    if (existing) return existing.provisioned;
    const resource = this.#section('Resources')[logicalId];
    if (!isJsonObject(resource)) throw new UnsupportedError(`Stack ${this.#stack.name} has no resource ${logicalId}.`);
    if (this.#inProgress.has(logicalId)) {
      throw new UnsupportedError(
        `Stack ${this.#stack.name}: ${[...this.#inProgress, logicalId].join(' -> ')} is a circular dependency.`,
      );
    }
    this.#inProgress.add(logicalId);
    const properties = resolve(resource.Properties ?? {}, this) as JsonObject;
    const type = String(resource.Type);
    const provisioned = this.#provision({ logicalId, type, properties, stack: this.#stack });
    this.#inProgress.delete(logicalId);
    const isKept = /^Retain/.test(String(resource.DeletionPolicy));
    this.resources.set(logicalId, { type, properties: JSON.stringify(properties), isKept, provisioned });
    return provisioned;
  }

  #pseudoParameters(): Record<string, Json> {
    const { accountId, region } = this.#account;
    const { name } = this.#stack;
    return {
      'AWS::AccountId': accountId,
      'AWS::Region': region,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': name,
      'AWS::StackId': `arn:aws:cloudformation:${region}:${accountId}:stack/${name}/local`,
    };
  }
}
