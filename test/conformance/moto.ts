import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../helpers/listening.ts';

/** A running moto server. */
export interface Moto {
  endpoint: string;
  /** Ends the process that `startMoto` started, and no other. */
  close(): Promise<void>;
}

/** Starts moto's server on a free port of 127.0.0.1. Throws an error with the reason if Python or moto is missing. */
export async function startMoto(): Promise<Moto> {
  const server = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(await freePort())], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  const ended = once(server, 'close').catch((error: Error) => said.push(error.message));
  const started = new Promise<string>((resolve) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.push(text);
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.join('')) ?? [];
      if (address) resolve(address);
    });
  });
  const endpoint = await Promise.race([started, ended]);
  if (typeof endpoint !== 'string') {
    const reason = said.join('').trim();
    throw new Error(`moto did not start: ${reason} Install Python 3 and: pip install 'moto[server]==5.2.1'`);
  }
  const close = async () => {
    server.kill();
    await ended;
  };
  return { endpoint, close };
}
