/** Ignores the error when the reader closes the pipe (`loan-orders list | head`). Any other output error is thrown. */
export function acceptClosedPipe(closed: () => void = () => undefined): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      closed();
    });
  }
}
