import type { WriteStream } from 'node:tty';

/** On a terminal, shows for how long the work has been going on, until it has ended. Elsewhere it shows nothing. */
export async function showWaiting<Result>(
  work: Promise<Result>,
  terminal: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr,
): Promise<Result> {
  if (!terminal.isTTY) return work;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    terminal.write(`\r  ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }, 100);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    terminal.write('\r\x1b[K');
  }
}
