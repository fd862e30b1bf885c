/**
 * Lets a process end quietly when the reader of its output has closed the pipe (`loan-orders list | head`). That is no failure: the
 * reader has seen enough.
 */
export function acceptClosedPipe(closed: () => void = () => undefined): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      closed();
    });
  }
}
