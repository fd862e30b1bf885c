import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { World } from './world.ts';

const script = fileURLToPath(new URL('../../bin/loan-orders.ts', import.meta.url));

/** A console in a process of its own, which can be killed at any moment. */
export interface ConsoleProcess {
  /** Opens the console in a browser once. */
  address: string;
  /** Ends it as a crash of the machine would. */
  kill(): Promise<void>;
}

/**
 * The caller kills it in the end.
 * @param port 0 is any free one.
 */
export async function startConsoleProcess(world: World, port: number): Promise<ConsoleProcess> {
  const words = ['--endpoint', world.aws.endpoint, '--json', 'console', '--port', `${port}`];
  const child: ChildProcess = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  return { address: (JSON.parse(line) as { address: string }).address, kill };
}
