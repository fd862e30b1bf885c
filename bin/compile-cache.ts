import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Keeps compiled code between starts, which speeds up large imports such as the CDK. Import this file first. Where the folder is
 * not writable, Node compiles at every start.
 */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/loan-orders/compiled', import.meta.url)));
