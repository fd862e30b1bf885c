import { rmSync } from 'node:fs';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Removes a half-written file if the command is stopped by Ctrl-C or another signal, and ends it then with the code that shells expect.
 * @returns a function that ends this.
 */
export function removeWhenStopped(part: string, sentence: string): () => void {
  const stop = (signal: (typeof SIGNALS)[number]) => {
    rmSync(part, { force: true });
    process.stderr.write(`\n${sentence}\n`);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  };
}
