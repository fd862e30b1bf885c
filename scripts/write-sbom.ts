import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deployedPaths, type LockedDependencies, packageName } from './deployed-packages.ts';

/** A bill of materials in CycloneDX, as far as it is read here. */
export interface Bill {
  bomFormat: string;
  metadata: { component: { name: string; 'bom-ref': string } };
  components: { name: string; version: string; 'bom-ref': string; licenses?: unknown[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const project = fileURLToPath(new URL('../', import.meta.url));
const FILE = 'sbom.cdx.json';

/**
 * The bill of materials of what is deployed, by `npm sbom`. It is not asked to omit development packages itself: `--omit dev` also
 * leaves out packages that both a function and a development package need, such as `jsonata` (npm 11).
 */
export function billOfMaterials(): Bill {
  const options = ['--package-lock-only', '--sbom-type', 'application', '--sbom-format', 'cyclonedx'];
  const bill = JSON.parse(execFileSync('npm', ['sbom', ...options], { cwd: project, encoding: 'utf8' })) as Bill;
  const deployed = deployedPackages();
  const components = bill.components.filter(({ name, version }) => deployed.has(`${name} ${version}`));
  const references = new Set([bill.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  const dependencies = bill.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) }));
  return { ...bill, components, dependencies };
}

/** Name and version of every package that is deployed. */
function deployedPackages(): Set<string> {
  const { packages } = JSON.parse(readFileSync(`${project}package-lock.json`, 'utf8')) as {
    packages: Record<string, LockedDependencies & { version?: string }>;
  };
  return new Set([...deployedPaths(packages)].map((path) => `${packageName(path)} ${packages[path]?.version}`));
}

if (import.meta.main) {
  const bill = billOfMaterials();
  writeFileSync(`${project}${FILE}`, `${JSON.stringify(bill, undefined, 2)}\n`);
  process.stdout.write(`${FILE} lists ${bill.components.length} packages.\n`);
}
