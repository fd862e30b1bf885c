import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { interleaved, runScript } from './children.ts';
import type { Transfer } from './stream-once.ts';

const kinds = ['pipe', 'upload', 'download'] as const;

/** The transfers of all runs, by kind. */
export type Transfers = Record<(typeof kinds)[number], Transfer[]>;

/** Moves `bytes` bytes through the functions' code and through a bare pipe, each in a new process. */
export async function measureStreams(bytes: number, runs: number): Promise<Transfers> {
  const server = spawn(process.execPath, [fileURLToPath(new URL('stream-server.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    return await interleaved(kinds, runs, (kind) => runScript<Transfer>('stream-once.ts', kind, url, String(bytes)));
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { mebibytes: { type: 'string', default: '128' } } });
  const transfers = await measureStreams(Number(values.mebibytes) * 1024 * 1024, 3);
  process.stdout.write(`${JSON.stringify(transfers, undefined, 2)}\n`);
}
