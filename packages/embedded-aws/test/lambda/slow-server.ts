import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const ASK = `export const ask = async ({ port }) => (await fetch('http://127.0.0.1:' + port)).text();\n`;

/** A server that answers when it is told to. */
export async function slowServer() {
  const answered = Promise.withResolvers<void>();
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    void answered.promise.then(() => response.end('done'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, answer: answered.resolve, asked: () => asked };
}
