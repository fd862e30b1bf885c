import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** JSONata's program, which the sandbox evaluates. A build puts its text here (infra/bundles/program-text.ts). */
export const JSONATA = readFileSync(createRequire(import.meta.url).resolve('jsonata/jsonata.min.js'), 'utf8');
