import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Refusal } from './text.ts';

/** Whether this is the one file of `npm run build:cli`, which has no stacks and no laptop. */
export const isOneFile = process.env.LOAN_ORDERS_COMMIT !== undefined;

/** @throws Refusal if this is the one file. */
export function refuseInOneFile(what: string): void {
  if (isOneFile) throw new Refusal(`This file cannot ${what}: install the package business-loan-orders, which can.`);
}

const app = fileURLToPath(new URL('../../bin/app.ts', import.meta.url));

/** Runs Node with these arguments, in this folder. A terminal's Ctrl-C reaches the program too, whose end this awaits. */
export async function runNode(args: string[], stdio: StdioOptions = 'inherit') {
  // Otherwise the CDK would leave a process behind that reports to AWS.
  const env = { ...process.env, CDK_DISABLE_CLI_TELEMETRY: 'true' };
  const child = spawn(process.execPath, args, { env, stdio });
  const [wait, end] = [() => undefined, () => void child.kill()];
  process.on('SIGINT', wait).on('SIGTERM', end);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('SIGINT', wait).off('SIGTERM', end);
  return { code, output };
}

/** These act on one stack unless they are told otherwise. */
const OF_ONE_STACK = ['deploy', 'rollback', 'destroy'];

/** Runs a command of the project's own CDK on all stacks of a stage. Returns its exit code. */
export async function runCdk(command: string, stage: string, more: readonly string[], stdio?: StdioOptions) {
  const cdk = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin/cdk');
  // The CDK's command line strips quotes at both ends of a value: the space keeps them.
  const given = ['--app', `"${process.execPath}" "${app}" `, '--context', `stage=${stage}`, '--no-notices'];
  const all = OF_ONE_STACK.includes(command) ? ['--all'] : [];
  return (await runNode([cdk, command, ...given, ...all, ...more], stdio)).code;
}
