/**
 * The start of the command line that is built as one file. The thread that evaluates rules (core/offers/rule-evaluator-thread.ts) runs the
 * same file.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) await import('../commands/main.ts');
else await import('../core/offers/rule-evaluator-thread.ts');
