/**
 * The start of the command line that is built as one file. A rule is evaluated in a process of its own, and there in a thread
 * (functions/shared/offers/rule-evaluator-process.ts): each of them runs this file once more, without arguments.
 */
import { isMainThread } from 'node:worker_threads';

const evaluatesRules = process.argv.length === 2 && (process.connected || !isMainThread);
if (evaluatesRules) await import('../functions/shared/offers/rule-evaluator-process.ts');
else await import('../commands/main.ts');
