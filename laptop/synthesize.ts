import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EMBEDDED_CONTEXT, stagesFolder } from '../infra/stage-folder.ts';

export const projectRoot = fileURLToPath(new URL('../', import.meta.url));
const app = fileURLToPath(new URL('../bin/app.ts', import.meta.url)).slice(projectRoot.length);

export interface SynthesisOptions {
  /** The folder of the project or of a copy. It ends in `/`. */
  root?: string;
  /** Other context of the CDK, as with `-c name=value`. */
  context?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Synthesizes the stacks of a stage to `directory`: runs the app of a deployment, as the CDK's command does. In the embedded AWS, the
 * account of the credentials does not matter.
 * @throws Error with the app's output if it fails, or the reason of `signal` if it aborts.
 */
export async function synthesize(
  stage: string,
  directory: string,
  { root = projectRoot, context = {}, signal }: SynthesisOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  const given = { ...context, [EMBEDDED_CONTEXT]: 'true', stage };
  const cdk = { CDK_OUTDIR: directory, CDK_CONTEXT_JSON: JSON.stringify(given) };
  const env = { ...process.env, ...cdk, LOAN_ORDERS_STAGES: stagesFolder(), NO_COLOR: '1' };
  const options = { cwd: root, env, ...(signal && { signal, killSignal: 'SIGKILL' as const }) };
  await promisify(execFile)(process.execPath, [`${root}${app}`], options).catch(
    (error: Error & { stderr?: string }) => {
      signal?.throwIfAborted();
      throw new Error(`The synth of stage ${stage} failed.\n${error.stderr || error.message}`);
    },
  );
}
