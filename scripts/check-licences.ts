import { readFileSync } from 'node:fs';
import { deployedPaths, type LockedDependencies, packageName } from './deployed-packages.ts';

/** An entry of `package-lock.json`, as far as it is checked. */
interface LockedPackage extends LockedDependencies {
  version?: string;
  license?: string;
  deprecated?: string;
}

type Named = LockedPackage & { name: string; isDeployed: boolean };

/** Licences that require only their own text and a notice. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
];

/** Why a package may have another licence, or which licence it has if the lock file names none. */
const EXCEPTIONS: { name: RegExp; licence: string | undefined; reason: string }[] = [
  {
    name: /^axe-core$/,
    licence: 'MPL-2.0',
    reason: "The console's tests put it into the page, unchanged. It is not part of the console.",
  },
  {
    name: /^lightningcss(-|$)/,
    licence: 'MPL-2.0',
    reason: "vitest needs it. It runs on the developer's machine, unchanged, and is not deployed.",
  },
  {
    name: /^png-js$/,
    licence: undefined,
    reason: 'Its file LICENSE is the MIT licence. pdfkit needs it, for documents of the simulator.',
  },
];

/** A sentence for each package whose licence is not in the list, or that its authors have deprecated. */
export function licenceProblems(packages: Record<string, LockedPackage>): string[] {
  const deployed = deployedPaths(packages);
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  const named = installed.map(([path, locked]) => ({
    name: packageName(path),
    isDeployed: deployed.has(path),
    ...locked,
  }));
  const unused = EXCEPTIONS.filter((exception) => !named.some((one) => isExcepted(one, exception)));
  return [
    ...named.flatMap((one) => problemsOf(one)),
    ...unused.map(({ name }) => `No package needs the exception ${name} of scripts/check-licences.ts: remove it.`),
  ];
}

function problemsOf(named: Named): string[] {
  const { name, version, license, deprecated } = named;
  const problems: string[] = [];
  const which = `${name} ${version}`;
  if (deprecated !== undefined) problems.push(`${which} is deprecated: ${deprecated}`);
  const isFine = license !== undefined && isAllowed(license);
  const excepted = EXCEPTIONS.some((exception) => isExcepted(named, exception));
  if (!isFine && !excepted) problems.push(`${which} has the licence ${license ?? '(none)'}, which is not allowed.`);
  return problems;
}

/** An exception is only for packages that are not deployed. */
function isExcepted({ name, license, isDeployed }: Named, exception: (typeof EXCEPTIONS)[number]): boolean {
  return exception.name.test(name) && license === exception.licence && !isDeployed;
}

/** Whether an SPDX expression allows a licence of the list. `OR` gives a choice, `AND` none. */
function isAllowed(expression: string): boolean {
  const words = expression.replaceAll(/[()]/g, ' ');
  return words.split(' OR ').some((choice) => choice.split(' AND ').every((one) => ALLOWED.includes(one.trim())));
}

if (import.meta.main) {
  const lock = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
  const problems = licenceProblems(packages);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  else
    process.stdout.write(
      `${Object.keys(packages).length - 1} packages: every licence is allowed, none is deprecated.\n`,
    );
}
