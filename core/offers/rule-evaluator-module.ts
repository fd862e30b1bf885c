import { extname } from 'node:path';

/**
 * The module of the thread that evaluates rules. It is beside this one, in the sources and in a bundle. In the command line that
 * is built as one file, it is that file (scripts/command-line-parts.ts).
 */
export const MODULE = new URL(`./rule-evaluator-thread${extname(import.meta.url)}`, import.meta.url);
