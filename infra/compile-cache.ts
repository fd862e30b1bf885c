import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Imported before all else: the CDK's code is compiled once and not for every synth. Where nothing can be written, it is compiled anew. */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/loan-orders/compiled', import.meta.url)));
