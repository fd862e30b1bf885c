/**
 * The module of the thread that explains rules. In the command line that is built as one file, it is that file
 * (scripts/command-line-parts.ts).
 */
export const MODULE = new URL('./explainer-thread.ts', import.meta.url);
