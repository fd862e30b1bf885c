import { startConsole } from '../console/server/console.ts';
import type { Laptop } from './laptop.ts';
import { print } from './run.ts';

/** Serves the console while the laptop runs, and prints its address. */
export async function withConsole(laptop: Laptop, run: () => Promise<number>): Promise<number> {
  const place = { stage: 'local', local: true, endpoint: laptop.aws.endpoint } as const;
  const served = await startConsole({
    place,
    port: 0,
    onAddress: (address) => print(`Console           ${address}   (opens once)`),
  });
  return run().finally(served.close);
}
