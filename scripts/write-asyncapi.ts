import { mkdirSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { asyncApi } from '../core/events/async-api.ts';

/** Writes the AsyncAPI document of the events, and the JSON Schema of each event. They are generated from the schemas of the code. */
const folder = new URL('../generated/events/', import.meta.url);
mkdirSync(folder, { recursive: true });
const document = asyncApi();
writeFileSync(new URL('asyncapi.yaml', folder), stringify(document));
for (const [name, schema] of Object.entries(document.components.schemas)) {
  writeFileSync(new URL(`${name}.schema.json`, folder), `${JSON.stringify(schema, undefined, 2)}\n`);
}
