import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Lets a server listen on a port of its own, and returns its address. */
export async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A port that nothing listens on, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listening(server));
  await new Promise((closed) => server.close(closed));
  return Number(port);
}
