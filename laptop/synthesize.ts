import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EMBEDDED_CONTEXT } from '../infra/stage-folder.ts';

export const projectRoot = fileURLToPath(new URL('../', import.meta.url));

/** Otherwise the CDK would leave a process behind that reports to AWS. */
const WITHOUT_TELEMETRY = { CDK_DISABLE_CLI_TELEMETRY: 'true' };

export interface SynthesisOptions {
  /** The folder of the project or of a copy. It ends in `/`. */
  root?: string;
  /** Other context of the CDK, as with `-c name=value`. */
  context?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Synthesizes the stacks of a stage to `directory`, with the same command as a deployment. In the embedded AWS, functions share packages,
 * and the account of the credentials does not matter.
 * @throws Error with the command's output if it fails, or the reason of `signal` if it aborts.
 */
export async function synthesize(
  stage: string,
  directory: string,
  { root = projectRoot, context = {}, signal }: SynthesisOptions = {},
): Promise<void> {
  const command = [
    `${root}node_modules/aws-cdk/bin/cdk`,
    'synth',
    '--quiet',
    '--no-notices',
    ...Object.entries({ ...context, [EMBEDDED_CONTEXT]: 'true', stage }).flatMap(([name, value]) => [
      '--context',
      `${name}=${value}`,
    ]),
  ];
  signal?.throwIfAborted();
  const synth = spawn(process.execPath, [...command, '--output', directory], {
    cwd: root,
    env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH}`, NO_COLOR: '1', ...WITHOUT_TELEMETRY },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: the command starts the app as another process, which must end too.
    detached: true,
  });
  const end = () => endGroup(synth.pid as number);
  signal?.addEventListener('abort', end);
  let printed = '';
  for (const stream of [synth.stdout, synth.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const [code] = (await once(synth, 'close')) as [number | null];
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
  if (code !== 0) throw new Error(`cdk synth of stage ${stage} failed.\n${printed}`);
}

/** Kills the processes of a group, unless they have already ended. */
function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
