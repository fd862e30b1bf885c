import { once } from 'node:events';
import { createServer } from 'node:net';

/** The port that the user asked for; otherwise the preferred port if it is free, or 0 (any free port). */
export async function choosePort(option: string, asked: number | undefined, preferred: number): Promise<number> {
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
