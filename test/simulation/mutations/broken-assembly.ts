import { ProjectCopy } from '../../helpers/project-copy.ts';
import type { Mutation } from './mutation.ts';

/** Copies everything that is deployed to `directory`, applies the mutation and synthesizes it. Returns the assembly's directory. */
export async function brokenAssembly(directory: string, { changes }: Pick<Mutation, 'changes'>): Promise<string> {
  const copy = new ProjectCopy(directory);
  for (const { file, text, instead } of changes) copy.change(file, text, instead);
  return copy.synthesize();
}
