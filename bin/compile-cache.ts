import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { makePrivate } from '../infra/bundles/own-files.ts';

/**
 * Caches compiled code between starts, which speeds up large imports such as the CDK. Import this file first. If the folder cannot be made
 * private to this user, there is no cache.
 */
const cache = fileURLToPath(new URL('../node_modules/.cache/loan-orders', import.meta.url));
const umask = process.umask(0o077);
try {
  makePrivate(cache);
  enableCompileCache(`${cache}/compiled`);
} catch {}
process.umask(umask);
