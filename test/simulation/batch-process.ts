import { type BatchOptions, runBatch } from './batch.ts';

// Its own end, or that of the process which waits for its answer.
process.once('disconnect', () => process.exit());

/** A process of its own for one batch: it is told what to run, answers what came of it, and ends, with all that it has used up. */
process.once('message', (options: BatchOptions) => {
  runBatch(options).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: Error) => {
      console.error(error.stack);
      process.exit(1);
    },
  );
});
