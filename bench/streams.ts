import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { interleaved, runChild } from './children.ts';
import type { Transfer } from './stream-once.ts';
import { median, type Row, row, rowsOf } from './table.ts';

const names = {
  pipe: 'a bare pipe',
  upload: 'upload-document',
  download: 'download-document, with three digests',
  sign: 'sign, with one digest',
};

/** Transfers a large file with the code of functions, of `sign`, and with a bare pipe, each in a new process. */
export async function measureStreams(mebibytes: number, runs: number): Promise<Row[]> {
  const server = spawn(process.execPath, [fileURLToPath(new URL('stream-server.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const kinds = Object.keys(names) as (keyof typeof names)[];
    const bytes = String(mebibytes * 1024 * 1024);
    const transfers = await interleaved(kinds, runs, (kind) => runChild<Transfer>('stream-once.ts', kind, url, bytes));
    const group = `A file of ${mebibytes} MiB, relative to a bare pipe`;
    const pipe = median(transfers.pipe.map(({ wall }) => wall));
    const rows = kinds.flatMap((kind) =>
      rowsOf(group, transfers[kind], [
        [`${names[kind]}, time`, 'ratio', ({ wall }) => wall / pipe],
        [`${names[kind]}, memory above idle`, 'MB', ({ memory }) => memory / 1e6],
      ]),
    );
    return [row(group, `${names.pipe}, time`, 's', pipe / 1000), ...rows];
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}
