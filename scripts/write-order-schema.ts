import { mkdirSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { packageSchema } from '../functions/shared/package/package-schema.ts';

/** Writes the JSON Schema of `order.json` for editors. It is generated from the schema that intake uses. */
const target = new URL('../generated/order.schema.json', import.meta.url);
const schema = { title: 'order.json of a business-loan order package', ...z.toJSONSchema(packageSchema) };
mkdirSync(new URL('./', target), { recursive: true });
writeFileSync(target, `${JSON.stringify(schema, undefined, 2)}\n`);
