/**
 * The start of the command line that is built as one file. A rule is evaluated in a thread
 * (core/offers/rule-evaluator-thread.ts), which runs this file once more.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) await import('../commands/main.ts');
else await import('../core/offers/rule-evaluator-thread.ts');
