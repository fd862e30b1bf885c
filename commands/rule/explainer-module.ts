/** The module of the thread that explains rules. In the single-file command line, it is that file (scripts/command-line-parts.ts). */
export const MODULE = new URL('./explainer-thread.ts', import.meta.url);
