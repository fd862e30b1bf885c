import { once } from 'node:events';
import { createServer } from 'node:net';
import { LAPTOP_PORT } from '../commands/shared/place.ts';

const SIMULATOR_PORT = 4010;

/** The embedded AWS listens on 4566, where commands with `--local` find it, or on the port that the user asked for. */
export const portOfAws = (asked: number | undefined) => choosePort('--port', asked, LAPTOP_PORT);

export const portOfSimulator = (asked: number | undefined) => choosePort('--simulator-port', asked, SIMULATOR_PORT);

/** The port that the user asked for; otherwise the preferred port if it is free, or 0 (any free port). */
async function choosePort(option: string, asked: number | undefined, preferred: number): Promise<number> {
  if (asked === undefined) return (await isFree(preferred)) ? preferred : 0;
  if (await isFree(asked)) return asked;
  throw new Error(`Port ${asked} is in use by another program. Give ${option} another port, or leave it out.`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
