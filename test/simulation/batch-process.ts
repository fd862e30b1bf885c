import { type BatchOptions, runBatch } from './batch.ts';

// The parent process has disconnected or ended.
process.once('disconnect', () => process.exit());

/** Runs batches in a separate process, one after the other. The parent sends the options of each and gets its result. */
process.on('message', (options: BatchOptions) => {
  runBatch(options).then(
    (result) => process.send?.(result),
    (error: Error) => {
      console.error(error.stack);
      process.exit(1);
    },
  );
});
