import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface LaptopProcess {
  process: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
}

/** Runs `npm start` in its own process group, so that a test sees every process that remains. */
export function startLaptopProcess(options: readonly string[], variables: Record<string, string> = {}): LaptopProcess {
  const env = { ...process.env, ...variables };
  const laptop = spawn(process.execPath, ['bin/loan-orders.js', 'local', ...options], {
    cwd: root,
    detached: true,
    env,
  });
  let output = '';
  for (const stream of [laptop.stdout, laptop.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(laptop, 'close').then(([code]) => code as number | null);
  return { process: laptop, output: () => output, ended };
}

/** Whether no process of the group is left. Processes that a function started end a moment after the function. */
export function groupIsGone(run: LaptopProcess): boolean {
  try {
    return !process.kill(-(run.process.pid ?? 0), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** The command lines of processes that name the folder, such as a synth that writes to it. Only Linux says so in files. */
export async function processesNaming(folder: string): Promise<string[]> {
  if (process.platform !== 'linux') return [];
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // A process may end before its file is read.
  const read = (number: string) => readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '');
  return (await Promise.all(numbers.map(read))).filter((line) => line.includes(folder));
}

export async function printed(run: LaptopProcess, text: string): Promise<void> {
  while (!run.output().includes(text)) await once(run.process.stdout as NodeJS.ReadableStream, 'data');
}
