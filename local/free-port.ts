import { once } from 'node:events';
import { createServer } from 'node:net';

/** The preferred port of 127.0.0.1 where it is free, else 0, which takes any. */
export async function freePort(preferred: number): Promise<number> {
  const probe = createServer();
  try {
    probe.listen(preferred, '127.0.0.1');
    await once(probe, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return 0;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return preferred;
}
