import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Imported before all else: what a command loads, the CDK above all, is compiled once and not at every start. Where nothing can be written,
 * it is compiled anew.
 */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/loan-orders/compiled', import.meta.url)));
