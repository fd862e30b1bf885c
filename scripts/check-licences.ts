import { readFileSync } from 'node:fs';

/** An entry of `package-lock.json`, as far as it is checked. */
interface LockedPackage {
  version?: string;
  license?: string;
  deprecated?: string;
  dev?: boolean;
  devOptional?: boolean;
}

/** Licences that ask for nothing but their own text and a notice. */
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

/** Why a package may have another licence, or what its licence is if it names none that the lock knows. */
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

/** A sentence for each package that has a licence outside the list, or that its authors have given up. */
export function licenceProblems(packages: Record<string, LockedPackage>): string[] {
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  const named = installed.map(([path, locked]) => ({ name: nameOf(path), ...locked }));
  const unused = EXCEPTIONS.filter((exception) => !named.some((one) => isExcepted(one, exception)));
  return [
    ...named.flatMap((one) => problemsOf(one)),
    ...unused.map(({ name }) => `No package needs the exception ${name} of scripts/check-licences.ts: remove it.`),
  ];
}

function problemsOf({ name, version, license, deprecated, ...locked }: LockedPackage & { name: string }): string[] {
  const problems: string[] = [];
  const which = `${name} ${version}`;
  if (deprecated !== undefined) problems.push(`${which} is deprecated: ${deprecated}`);
  const isFine = license !== undefined && isAllowed(license);
  const excepted = EXCEPTIONS.some((exception) =>
    isExcepted({ name, ...(license !== undefined && { license }), ...locked }, exception),
  );
  if (!isFine && !excepted) problems.push(`${which} has the licence ${license ?? '(none)'}, which is not allowed.`);
  return problems;
}

/** An exception is only for packages that are not deployed. */
function isExcepted(
  { name, license, dev = false, devOptional = false }: LockedPackage & { name: string },
  exception: (typeof EXCEPTIONS)[number],
): boolean {
  return exception.name.test(name) && license === exception.licence && (dev || devOptional);
}

/** Whether an SPDX expression leaves a choice that is allowed. `OR` gives a choice, `AND` none. */
function isAllowed(expression: string): boolean {
  const words = expression.replaceAll(/[()]/g, ' ');
  return words.split(' OR ').some((choice) => choice.split(' AND ').every((one) => ALLOWED.includes(one.trim())));
}

/** `node_modules/a/node_modules/@b/c` as `@b/c`. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
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
