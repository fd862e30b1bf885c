import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { rootInputs } from '../../../laptop/assembly.ts';
import { projectRoot, synthesize } from '../../../laptop/synthesize.ts';
import type { Mutation } from './mutation.ts';

/**
 * Copies everything that a synth may read to `directory`, applies the mutation and synthesizes it. Returns the assembly's directory.
 * @throws Error that names the file if a text of the mutation does not occur in it exactly once.
 */
export async function brokenAssembly(directory: string, { name, changes }: Mutation): Promise<string> {
  const root = `${directory}/`;
  for (const part of rootInputs(projectRoot)) await cp(projectRoot + part, root + part, { recursive: true });
  await symlink(`${projectRoot}node_modules`, `${root}node_modules`);
  for (const { file, text, instead } of changes) {
    const source = await readFile(root + file, 'utf8');
    const times = source.split(text).length - 1;
    if (times !== 1)
      throw new Error(`Mutation "${name}": its text occurs ${times} times in ${file}, not once:\n${text}`);
    await writeFile(
      root + file,
      source.replace(text, () => instead),
    );
  }
  await synthesize('local', `${root}assembly`, { root });
  return `${root}assembly`;
}
