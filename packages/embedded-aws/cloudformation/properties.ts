import { type Account, stableSuffix } from '../account.ts';
import { isJsonObject, type Json, type JsonObject, objectOf, UnsupportedError } from '../protocol/operation.ts';
import type { Services } from '../services.ts';
import type { ResourceDeclaration } from './stack.ts';

/** A resource that is being created, with the services to create it. */
export interface Resource extends ResourceDeclaration {
  /** The name in the template, or a generated one. */
  name: string;
  account: Account;
  services: Services;
  /** Asynchronous work that runs after all stacks are loaded, before the embedded AWS is ready. */
  startup: (() => Promise<void>)[];
}

export function unsupported({ type, logicalId, stack }: ResourceDeclaration, problem: string): UnsupportedError {
  return new UnsupportedError(`Stack ${stack.name}: ${logicalId} (${type}) ${problem}`);
}

/** Throws an UnsupportedError for an unknown property, so none is ignored by mistake, and for a dynamic reference. */
export function checkProperties(declaration: ResourceDeclaration, known: readonly string[]): void {
  const other = Object.keys(declaration.properties).find((name) => !known.includes(name));
  if (other) throw unsupported(declaration, `has the property ${other}, which the embedded AWS does not support.`);
  const dynamic = /\{\{resolve:[^}]*\}\}/.exec(JSON.stringify(declaration.properties))?.[0];
  if (dynamic) throw unsupported(declaration, `uses the dynamic reference ${dynamic}, which is not supported.`);
}

/** The name in the template, or a generated one like CloudFormation's, but the same on every start. */
export function physicalName(
  { stack, logicalId }: ResourceDeclaration,
  given: Json | undefined,
  longest: number,
): string {
  if (typeof given === 'string') return given;
  const suffix = stableSuffix(`${stack.name}/${logicalId}`, 12);
  return `${`${stack.name}-${logicalId}`.slice(0, longest - suffix.length - 1)}-${suffix}`;
}

/** Checks the target of a rule or schedule. Throws an UnsupportedError for a property that is not in `supported`. */
export function checkTarget(resource: Resource, target: JsonObject, supported: string): void {
  const other = Object.keys(target).find((member) => !supported.split(' ').includes(member));
  if (other) throw unsupported(resource, `has a target with ${other}, which is not supported.`);
}

export const objectProperty = (properties: JsonObject, name: string) => objectOf(properties[name]);

export function listProperty(properties: JsonObject, name: string): JsonObject[] {
  const value = properties[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function textsProperty(properties: JsonObject, name: string): string[] {
  const value = properties[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** CloudFormation accepts numbers as strings too. */
export function numberProperty(properties: JsonObject, name: string, otherwise: number): number {
  const value = properties[name];
  return value === undefined ? otherwise : Number(value);
}
