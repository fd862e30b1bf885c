import { type BatchOptions, runBatch } from './batch.ts';

/** A process of its own for one batch: it is told what to run, answers what came of it, and ends, with all that it has used up. */
process.once('message', (options: BatchOptions) => {
  runBatch(options).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: Error) => {
      console.error(error.stack);
      process.exitCode = 1;
      process.disconnect();
    },
  );
});
