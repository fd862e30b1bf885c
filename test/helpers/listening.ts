import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll } from 'vitest';

export async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The address of an HTTP server that answers like this until the test file ends, or the test with `onTestFinished`. */
export async function answering(listener: RequestListener, whenOver: (close: () => void) => void = afterAll) {
  const server = createHttpServer(listener);
  whenOver(() => {
    server.close();
    server.closeAllConnections();
  });
  return listening(server);
}

/** A port that nothing listens on, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listening(server));
  await new Promise((closed) => server.close(closed));
  return Number(port);
}
