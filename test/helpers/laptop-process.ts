import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface LaptopProcess {
  process: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
}

/** `npm start` with these options, in a process group of its own so that nothing it leaves behind goes unseen. */
export function startLaptopProcess(...options: string[]): LaptopProcess {
  const laptop = spawn(process.execPath, ['local/main.ts', ...options], { cwd: root, detached: true });
  let output = '';
  for (const stream of [laptop.stdout, laptop.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(laptop, 'close').then(([code]) => code as number | null);
  return { process: laptop, output: () => output, ended };
}

export function groupIsGone(run: LaptopProcess): boolean {
  try {
    process.kill(-(run.process.pid ?? 0), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Resolves once the process has printed the text. */
export async function printed(run: LaptopProcess, text: string): Promise<void> {
  while (!run.output().includes(text)) await once(run.process.stdout as NodeJS.ReadableStream, 'data');
}
