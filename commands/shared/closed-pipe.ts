/** Ignores that the reader of the output has closed the pipe (`loan-orders list | head`). Any other error of the output is thrown. */
export function acceptClosedPipe(closed: () => void = () => undefined): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      closed();
    });
  }
}
