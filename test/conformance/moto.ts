import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A running moto server. */
export interface Moto {
  endpoint: string;
  /** Ends the process that `startMoto` started, and no other. */
  close(): Promise<void>;
}

/** Seconds for Python to load moto. */
const PATIENCE = 60;

/** Starts moto's server on a free port of 127.0.0.1. Throws an error with the reason if Python or moto is missing. */
export async function startMoto(): Promise<Moto> {
  const port = await freePort();
  const server = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-2_000);
  });
  const ended = once(server, 'close').catch((error: Error) => {
    said = error.message;
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const close = async () => {
    server.kill();
    await ended;
  };
  for (const end = Date.now() + PATIENCE * 1000; Date.now() < end && !isOver; await wait(100)) {
    if (await answers(endpoint)) return { endpoint, close };
  }
  await close();
  throw new Error(`moto did not start: ${reason(said)} Install it with: pip install 'moto[server]==5.2.1'`);
}

function reason(said: string): string {
  if (said.includes('ENOENT')) return 'python3 is missing.';
  if (said.includes('No module named')) return 'Python has no package moto with its server.';
  return said.trim() || `it did not answer within ${PATIENCE} seconds.`;
}

async function answers(endpoint: string): Promise<boolean> {
  return fetch(`${endpoint}/moto-api/config`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
