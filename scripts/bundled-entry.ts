/**
 * The entry point of the command line when it is built as one file. The thread that explains rules (commands/rule/explainer-thread.ts)
 * runs the same file.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) await import('../commands/main.ts');
else await import('../commands/rule/explainer-thread.ts');
