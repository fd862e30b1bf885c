import { mkdirSync, writeFileSync } from 'node:fs';
import { orderSchema } from '../core/package/package-schema.ts';

/** Writes the JSON Schema of `order.json` for editors. It is generated from the schema that intake uses. */
const target = new URL('../generated/order.schema.json', import.meta.url);
mkdirSync(new URL('./', target), { recursive: true });
writeFileSync(target, `${JSON.stringify(orderSchema(), undefined, 2)}\n`);
