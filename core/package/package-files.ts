import type { ObjectFacts } from '../aws/storage.ts';
import type { Problem } from '../json/json-problems.ts';
import { byLimit } from '../limits.ts';
import type { NamedFile } from './package-problems.ts';

/** Looks up a file of the package by its path there; undefined if it does not exist. */
export type FindFile = (file: string) => Promise<ObjectFacts | undefined>;

export interface FileCheck {
  /** The package's folder below `orders/`. */
  folder: string;
  find: FindFile;
  /** Bytes that a document may have. */
  documentBytes: number;
}

/** Looks up every file that the package names. A missing, empty or too large file is a problem. `facts` has the others by position. */
export async function checkFiles(
  { folder, find, documentBytes }: FileCheck,
  files: NamedFile[],
): Promise<{ problems: Problem[]; facts: Map<number, ObjectFacts> }> {
  const found = await Promise.all(files.map(({ file }) => find(file)));
  const facts = new Map<number, ObjectFacts>();
  const problems = files.flatMap(({ position, file }, index): Problem[] => {
    const path = `$.documents[${position}].file`;
    const object = found[index];
    if (!object) {
      const mend = `Upload it as orders/${folder}/${file}.`;
      return [{ path, problem: `The file ${file} is not in the package.`, mend }];
    }
    if (object.size === 0) {
      return [{ path, problem: `The file ${file} is empty.`, mend: 'Upload it again.' }];
    }
    if (object.size > documentBytes) {
      const problem = `The file ${file} has ${object.size} bytes; at most ${documentBytes} are allowed.`;
      return [{ path, problem, mend: `Upload a smaller one. ${byLimit('documentBytes')}` }];
    }
    facts.set(position, object);
    return [];
  });
  return { problems, facts };
}

/** Checks the size of the whole package against the stage's limit. Sizes are bytes. */
export function packageSizeProblems(orderJsonBytes: number, facts: Iterable<ObjectFacts>, most: number): Problem[] {
  const size = [...facts].reduce((sum, object) => sum + object.size, orderJsonBytes);
  if (size <= most) return [];
  const problem = `The package has ${size} bytes; at most ${most} are allowed.`;
  return [{ path: '$', problem, mend: `Send smaller documents, or fewer. ${byLimit('packageBytes')}` }];
}
