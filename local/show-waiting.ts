import type { WriteStream } from 'node:tty';

const REFRESH_MILLISECONDS = 100;

/** Shows the elapsed seconds while the work runs, if the output is a terminal. */
export async function showWaiting<Result>(
  work: Promise<Result>,
  terminal: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr,
): Promise<Result> {
  if (!terminal.isTTY) return work;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    terminal.write(`\r  ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }, REFRESH_MILLISECONDS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    terminal.write('\r\x1b[K');
  }
}
