import { mkdirSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import * as z from 'zod/mini';
import { decisionSchema } from '../core/package/decision-schema.ts';
import { packageSchema } from '../core/package/package-schema.ts';
import { asyncApi } from './async-api.ts';
import { rewrite, withBlock } from './marked-block.ts';

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

/** The document with the tables of properties, which are generated from the schemas of intake. */
export const ORDER_PACKAGE = new URL('../docs/order-package.md', import.meta.url);

/** Of a stage that allows everything that a stage can allow. */
const ORDER = packageSchema({ choose: 'manual', hasRule: true, signing: 'external', hasKey: true });

const SCHEMAS: Record<string, object> = {
  order: { title: 'order.json of a business-loan order package', ...z.toJSONSchema(ORDER) },
  decision: { title: 'decision.json of a business-loan order', ...z.toJSONSchema(decisionSchema) },
};

export function withMembers(document: string): string {
  return Object.entries(SCHEMAS).reduce((text, [name, schema]) => {
    const rows = ['| Property | Meaning |', '|---|---|', ...rowsOf(schema, '')];
    return withBlock(text, `members of ${name}.json`, rows.join('\n'));
  }, document);
}

function rowsOf({ properties = {}, required = [] }: Schema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const optional = required.includes(name) ? '' : ' (optional)';
    const row = `| \`${prefix}${name}\`${optional} | ${schema.description} |`;
    return [row, ...rowsOf(schema, `${prefix}${name}.`), ...rowsOf(schema.items ?? {}, `${prefix}${name}[].`)];
  });
}

function writeSchemas(folder: string, schemas: Record<string, object>): URL {
  const url = new URL(`../generated/${folder}`, import.meta.url);
  mkdirSync(url, { recursive: true });
  for (const [name, schema] of Object.entries(schemas))
    writeFileSync(new URL(`${name}.schema.json`, url), `${JSON.stringify(schema, undefined, 2)}\n`);
  return url;
}

if (import.meta.main) {
  writeSchemas('', SCHEMAS);
  const document = asyncApi();
  const events = writeSchemas('events/', document.components.schemas);
  writeFileSync(new URL('asyncapi.yaml', events), stringify(document));
  rewrite(ORDER_PACKAGE, withMembers);
}
