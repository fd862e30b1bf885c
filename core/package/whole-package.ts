import type { ObjectFacts } from '../aws/storage.ts';
import type { Problem } from '../json/json-problems.ts';
import { byLimit } from '../limits.ts';
import { checkFiles, type FindFile, packageSizeProblems } from './package-files.ts';
import type { PackageDefaults } from './package-problems.ts';
import type { OrderPackage } from './package-schema.ts';

/** What a stage says about packages. */
export type PackageSettings = PackageDefaults & {
  limits: { orderJsonBytes: number; documentBytes: number; packageBytes: number };
};

export interface UncheckedPackage {
  /** The package's folder below `orders/`, which is the order's reference. */
  folder: string;
  hasValidName: boolean;
  /** `order.json`; undefined if it is larger than the stage allows. */
  bytes: Uint8Array | undefined;
  find: FindFile;
}

export interface CheckResult {
  problems: Problem[];
  /** Present if there are no problems. */
  passed?: { content: OrderPackage; documents: (OrderPackage['documents'][number] & ObjectFacts)[] };
}

/** Checks a package with all its files and returns all problems at once. The function `intake` and the command `lint` both use it. */
export async function checkWholePackage(unchecked: UncheckedPackage, settings: PackageSettings): Promise<CheckResult> {
  const { folder, bytes, find } = unchecked;
  const { orderJsonBytes, documentBytes, packageBytes } = settings.limits;
  const problems = unchecked.hasValidName ? [] : [wrongFolder];
  if (!bytes) return { problems: [...problems, tooLarge(orderJsonBytes)] };
  // Loaded here, because most invocations check no package, and the schema takes time to load.
  const { checkPackage } = await import('./package-problems.ts');
  const { content, ...checked } = checkPackage(bytes, settings);
  const files = await checkFiles({ folder, find, documentBytes }, checked.files);
  problems.push(
    ...checked.problems,
    ...files.problems,
    ...packageSizeProblems(bytes.length, files.facts.values(), packageBytes),
  );
  if (!content || problems.length > 0) return { problems };
  const documents = content.documents.map((document, position) => ({
    ...document,
    ...(files.facts.get(position) as ObjectFacts),
  }));
  return { problems, passed: { content, documents } };
}

const wrongFolder: Problem = {
  path: '$',
  problem: 'The folder name is not a valid orderRef.',
  mend: 'Use 1-64 of the characters A-Z a-z 0-9 . _ - for it, beginning with a letter or digit. Upload the package to a folder with such a name.',
};

function tooLarge(most: number): Problem {
  const problem = `order.json is larger than ${most} bytes.`;
  return { path: '$', problem, mend: `Upload files beside it, not in it. ${byLimit('orderJsonBytes')}` };
}
