import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('../', import.meta.url));

/**
 * Synthesizes the stack of a stage with the very command a deployment uses, into `directory`.
 * @param root the folder of the project, or of a copy of it; with its `/` at the end.
 * @throws Error with what the command printed when it fails.
 */
export async function synthesize(stage: string, directory: string, root = projectRoot): Promise<void> {
  const command = [
    `${root}node_modules/aws-cdk/bin/cdk`,
    'synth',
    '--quiet',
    '--no-notices',
    '--context',
    `stage=${stage}`,
  ];
  const synth = spawn(process.execPath, [...command, '--output', directory], {
    cwd: root,
    env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH}`, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [synth.stdout, synth.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const [code] = (await once(synth, 'close')) as [number | null];
  if (code !== 0) throw new Error(`cdk synth of stage ${stage} failed.\n${printed}`);
}
