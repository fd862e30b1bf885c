import { headObject, type ObjectFacts } from '../aws/storage.ts';
import { environment } from '../environment.ts';
import type { Problem } from '../json/json-problems.ts';
import { byLimit, limit } from '../limits.ts';
import type { NamedFile } from './package-problems.ts';

/** Looks up every file that the package names. A missing, empty or too large file is a problem. `facts` has the others by position. */
export async function checkFiles(
  folder: string,
  files: NamedFile[],
): Promise<{ problems: Problem[]; facts: Map<number, ObjectFacts> }> {
  const bucket = environment('INTAKE_BUCKET');
  const found = await Promise.all(files.map(({ file }) => headObject({ bucket, key: `orders/${folder}/${file}` })));
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
    if (object.size > limit('documentBytes')) {
      const problem = `The file ${file} has ${object.size} bytes; at most ${limit('documentBytes')} are allowed.`;
      return [{ path, problem, mend: `Upload a smaller one. ${byLimit('documentBytes')}` }];
    }
    facts.set(position, object);
    return [];
  });
  return { problems, facts };
}

/** Checks the size of the whole package. */
export function packageSizeProblems(orderJsonBytes: number, facts: Iterable<ObjectFacts>): Problem[] {
  const size = [...facts].reduce((sum, object) => sum + object.size, orderJsonBytes);
  const most = limit('packageBytes');
  if (size <= most) return [];
  const problem = `The package has ${size} bytes; at most ${most} are allowed.`;
  return [{ path: '$', problem, mend: `Send smaller documents, or fewer. ${byLimit('packageBytes')}` }];
}
