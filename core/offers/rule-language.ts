import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** JSONata's program, which the sandbox evaluates. In a bundle, `#jsonata-program` is the text itself (`imports` in package.json). */
export default readFileSync(createRequire(import.meta.url).resolve('jsonata/jsonata.min.js'), 'utf8');
