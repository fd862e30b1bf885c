import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { makePrivate } from '../infra/bundles/own-files.ts';

/**
 * Keeps compiled code between starts, which speeds up large imports such as the CDK. Import this file first. Where nothing can be kept
 * from other users, Node compiles at every start.
 */
const cache = fileURLToPath(new URL('../node_modules/.cache/loan-orders', import.meta.url));
const umask = process.umask(0o077);
try {
  makePrivate(cache);
  enableCompileCache(`${cache}/compiled`);
} catch {}
process.umask(umask);
