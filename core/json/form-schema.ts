import type { Node } from './edit-json.ts';

/** What the form uses of a JSON Schema (draft 2020-12). The rest is only checked. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  format?: string;
}

/** The members that the schema names, and the others that an object has. */
export function membersOf({ properties = {} }: Schema, object: Node | undefined): string[] {
  const own = (object?.children ?? []).map(({ children }) => String(children?.[0]?.value));
  return [...new Set([...Object.keys(properties), ...own])].filter((name) => name !== '$schema');
}

/** The type of a value that is not there yet. */
export const typeOf = ({ type, properties }: Schema) =>
  [type ?? []].flat().find((name) => name !== 'null') ?? (properties && 'object');

/** A schema with what it refers to: `#/$defs/address`, from the `order` of the whole one. A reference of another form stays unresolved. */
export function resolved(given: Schema, { properties }: Schema): Schema {
  const steps = /^#\/(.+)$/.exec(given.$ref ?? '')?.[1]?.split('/') ?? [];
  const found = steps.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[step],
    properties?.order,
  );
  return steps.length > 0 && typeof found === 'object' ? { ...(found as Schema), ...given } : given;
}
