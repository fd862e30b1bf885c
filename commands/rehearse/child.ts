import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { checkout } from './rehearsal.ts';

interface Ended {
  code: number | null;
  /** Standard output, if it was kept. */
  output: string;
}

/**
 * Runs a script of the project with its Node. What it prints goes to standard error, or into `output`.
 * @param options `keep`: whether standard output is kept.
 */
export async function runScript(args: string[], { keep = false }: { keep?: boolean } = {}): Promise<Ended> {
  const env = {
    ...process.env,
    PATH: `${checkout}node_modules/.bin:${process.env.PATH}`,
    // Otherwise the CDK would leave a process behind that reports to AWS.
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
  const child = spawn(process.execPath, args, { cwd: checkout, env, stdio: ['ignore', keep ? 'pipe' : 2, 2] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Runs a command of the project's own CDK on all stacks of the stage. Returns its exit code. */
export async function runCdk(command: string, stage: string, ...more: string[]): Promise<number | null> {
  const args = [command, '--all', '--context', `stage=${stage}`, '--no-notices', ...more];
  return (await runScript(['node_modules/aws-cdk/bin/cdk', ...args])).code;
}
