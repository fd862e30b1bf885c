import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../bin/loan-orders.ts', import.meta.url));

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command line as a child process. `environment` replaces the environment of this process, except PATH. */
export function loanOrders(args: string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}
