import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { run } from '../../commands/program.ts';

const script = fileURLToPath(new URL('../../bin/loan-orders.ts', import.meta.url));

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command line. With an `environment` it runs as a separate process that has only these variables and PATH. Without one it
 * runs in this process, because starting a process takes most of a second.
 */
export function loanOrders(args: string[], environment?: Record<string, string>): Promise<Outcome> {
  return environment ? runProcess(args, environment) : runHere(args);
}

async function runHere(args: string[]): Promise<Outcome> {
  const outcome: Outcome = { code: 0, stdout: '', stderr: '' };
  outcome.code = await run(args, {
    out: (text) => {
      outcome.stdout += text;
    },
    err: (text) => {
      outcome.stderr += text;
    },
  });
  return outcome;
}

function runProcess(args: string[], environment: Record<string, string>): Promise<Outcome> {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}
