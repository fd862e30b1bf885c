import * as z from 'zod';

/** A schema in JSON Schema, as far as tables and editors need it. */
export interface Schema {
  description?: string;
  type?: string;
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

export interface Setting {
  name: string;
  schema: Schema;
  /** Whether it is a group of settings, each of which is described too. */
  isGroup: boolean;
}

/** The unit of a number is the end of its name. */
const UNIT = /(Bytes|Seconds|Minutes|Hours|Days)$/;

export const unitOf = (name: string): string | undefined => UNIT.exec(name)?.[0].toLowerCase();

export const schemaOf = (settings: z.ZodType) => z.toJSONSchema(settings, { io: 'input' }) as Schema;

/** Every setting and every group of them, in the order of the schema. */
export const allSettings = (schema: Schema, prefix = ''): Setting[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, one]) => {
    const name = `${prefix}${key}`;
    return [{ name, schema: one, isGroup: one.properties !== undefined }, ...allSettings(one, `${name}.`)];
  });
