import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { operatorStackName, ordersStackName, simulatorStackName } from '../../infra/names.ts';
import { REHEARSAL_STAGE } from '../../infra/stage-folder.ts';
import type { Finding } from '../doctor/finding.ts';
import { runningRehearsal } from '../shared/laptops.ts';
import type { PlaceOptions } from '../shared/place.ts';
import { homeOf } from '../shared/stack-outputs.ts';
import { Refusal } from '../shared/text.ts';

export interface Rehearsal {
  /** With `local`, the embedded AWS of this machine. `deploy` needs no endpoint: it starts one. */
  place: PlaceOptions;
  say(line: string): void;
}

/** A step of the rehearsal. It can be repeated. Throws a Refusal if the next step would be useless. */
export type RehearsalStep = (rehearsal: Rehearsal) => Promise<Finding[]>;

/** The names of the stacks, dependencies first. */
export async function stacksOf(place: PlaceOptions): Promise<string[]> {
  const home = await homeOf(place);
  return [simulatorStackName, ordersStackName, operatorStackName].map((nameOf) => nameOf(home));
}

/** The folder of the project. */
export const checkout = fileURLToPath(new URL('../../', import.meta.url));

/** Where the steps after the deployment take place. Throws a Refusal if nothing is deployed on this machine. */
export async function deployedPlace({ local, endpoint }: PlaceOptions): Promise<PlaceOptions> {
  if (!local) return { stage: REHEARSAL_STAGE };
  const address = endpoint ?? (await runningRehearsal())?.endpoint;
  if (address !== undefined) return { stage: REHEARSAL_STAGE, local, endpoint: address };
  throw new Refusal('No rehearsal is deployed on this machine: begin with "loan-orders --local rehearse deploy".');
}

/** Runs a script of the project with its Node. Its output goes to standard error or, with `keep`, into `output`. */
export async function runScript(args: string[], { keep = false } = {}) {
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
