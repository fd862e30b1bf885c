import { stableSuffix } from '../account.ts';
import { UnsupportedError } from '../protocol/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import type { ResourceDeclaration } from './stack.ts';

/** An UnsupportedError that names the resource. */
export function unsupported({ type, logicalId, stack }: ResourceDeclaration, problem: string): UnsupportedError {
  return new UnsupportedError(`Stack ${stack.name}: ${logicalId} (${type}) ${problem}`);
}

/**
 * The properties of a resource. Throws an UnsupportedError for a property that is neither supported nor inert (without effect
 * on a laptop), so that none is ignored by mistake.
 */
export function checkedProperties(declaration: ResourceDeclaration, supported: string[], inert: string[]): JsonObject {
  for (const name of Object.keys(declaration.properties)) {
    if (supported.includes(name) || inert.includes(name)) continue;
    throw unsupported(declaration, `has the property ${name}, which the embedded AWS does not support.`);
  }
  const dynamic = /\{\{resolve:[^}]*\}\}/.exec(JSON.stringify(declaration.properties))?.[0];
  if (dynamic) throw unsupported(declaration, `uses the dynamic reference ${dynamic}, which is not supported.`);
  return declaration.properties;
}

/** The name in the template, or a generated one as CloudFormation's, which is the same at every start. */
export function physicalName({ stack, logicalId }: ResourceDeclaration, given: Json | undefined, longest = 64): string {
  if (typeof given === 'string') return given;
  const suffix = stableSuffix(`${stack.name}/${logicalId}`, 12);
  return `${`${stack.name}-${logicalId}`.slice(0, longest - suffix.length - 1)}-${suffix}`;
}

export function objectProperty(properties: JsonObject, name: string): JsonObject {
  const value = properties[name];
  return isJsonObject(value) ? value : {};
}

export function listProperty(properties: JsonObject, name: string): JsonObject[] {
  const value = properties[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** CloudFormation accepts numbers as strings too. */
export function numberProperty(properties: JsonObject, name: string, otherwise: number): number {
  const value = properties[name];
  return value === undefined ? otherwise : Number(value);
}
