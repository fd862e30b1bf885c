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
 * Runs one command line: with an `environment` as a process of its own, which has nothing else but PATH; without in this process, since
 * a process takes most of a second to start.
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
