import { type BatchOptions, runBatch } from './batch.ts';

// The parent process has disconnected or ended.
process.once('disconnect', () => process.exit());

/** Runs one batch in a separate process, which frees all memory when it ends. The parent sends the options and gets the result. */
process.once('message', (options: BatchOptions) => {
  runBatch(options).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: Error) => {
      console.error(error.stack);
      process.exit(1);
    },
  );
});
