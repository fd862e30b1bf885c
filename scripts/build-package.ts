import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmodSync, globSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as buildPage } from 'esbuild';
import { BUILT_PAGE, PAGE } from '../console/server/page-files.ts';
import { build, buildOptions } from '../infra/bundles/build.ts';
import { type Files, writeFiles } from '../infra/bundles/own-files.ts';
import { buildSimulator, SIMULATOR } from '../infra/bundles/simulator.ts';
import manifest from '../package.json' with { type: 'json' };
import { licenceNotices, manifestOf, packageFolders, usedFiles } from './licence-notices.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const dist = join(root, 'dist');

/** Stages that every folder has. The others are written by those who deploy. */
const STAGES = ['stages/local.yaml', 'stages/rehearsal.yaml'];
const COPIED = [...STAGES, 'examples/**/*'];

/**
 * Builds `dist/` for `npm pack`: the sources compiled, the functions and the page bundled, and what is built in. The same commit gives the
 * same bytes, whatever the path, the user, the umask, the time zone and the locale.
 */
async function buildPackage(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const page = await buildPage(PAGE);
  const functions = build(buildOptions(root));
  const simulator = buildSimulator(root);
  const bundles = { ...functions.bundles, [SIMULATOR]: simulator.bundle };
  const direct = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const builtIn = packageFolders([
    ...usedFiles(page.metafile, PAGE.absWorkingDir),
    ...usedFiles(functions.metafile, root),
    ...usedFiles(simulator.metafile, root),
  ]);
  writeFiles(dist, {
    ...compiled(),
    ...withSums(bundles),
    [relative(root, BUILT_PAGE)]: JSON.stringify(page.outputFiles.map(({ path, text }) => [path, text])),
    ...Object.fromEntries(filesOf(COPIED).map((file) => [file, readFileSync(join(root, file))])),
    'package.json': JSON.stringify({ type: 'module', version: manifest.version, imports: imports() }, undefined, 2),
    'licences.txt': licenceNotices(builtIn),
    'sbom.cdx.json': billOfMaterials([...builtIn, ...direct.map(installed)]),
  });
  // npm packs files with their modes, which come from the umask of whoever checked them out.
  for (const file of filesOf(['package.json', 'README.md', ...manifest.files.flatMap((one) => [one, `${one}/**/*`])]))
    chmodSync(join(root, file), file.startsWith('bin/') ? 0o755 : 0o644);
}

/** Paths relative to the project, of files only. */
const filesOf = (patterns: string[]): string[] =>
  globSync(patterns, { cwd: root })
    .filter((file) => lstatSync(join(root, file)).isFile())
    .map((file) => file.replaceAll('\\', '/'))
    .sort();

const installed = (name: string) => join(root, 'node_modules', name);

/** Modules and their types. TypeScript changes the endings in imports; those in addresses are changed here, and names of workspaces. */
function compiled(): Files {
  const output = join(dist, 'compiled');
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.package.json', '--outDir', output],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  );
  const files = globSync('**/*.{js,ts,json}', { cwd: output });
  const text = (file: string) =>
    readFileSync(join(output, file), 'utf8')
      .replaceAll(/(new URL\((?:[^()]*)'\.[^']*)\.ts'/g, "$1.js'")
      .replaceAll(/(['"])@business-loan-orders\//g, '$1#');
  const result = Object.fromEntries(files.map((file) => [file, text(file)]));
  rmSync(output, { recursive: true });
  return result;
}

/** The workspaces, by the names that compiled modules have for them, and the text of JSONata's program. */
function imports(): Record<string, string> {
  const workspaces = filesOf(['packages/*/package.json']).flatMap((file) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    return Object.entries(exports as Record<string, string>).map(([path, source]) => [
      name.replace('@business-loan-orders/', '#') + path.slice(1),
      `./${join(file, '..', source).replace(/\.ts$/, '.js')}`,
    ]);
  });
  return { ...Object.fromEntries(workspaces), '#jsonata-program': './core/offers/rule-language.js' };
}

/** The bundles of functions, and the hash of each of their files, in the format of `sha256sum -c`. */
function withSums(bundles: Record<string, Record<string, Uint8Array>>): Files {
  const files = Object.entries(bundles).flatMap(([name, bundle]) =>
    Object.entries(bundle).map(([file, content]) => [`${name}/${file}`, content] as const),
  );
  const sums = files.map(([file, content]) => `${hash('sha256', content)}  ${file}\n`).sort();
  return {
    ...Object.fromEntries(files.map(([file, content]) => [`bundles/${file}`, content])),
    'bundles/SHA256SUMS': sums.join(''),
  };
}

/** CycloneDX, as npm writes it of what is installed, with what is built in, and without what differs from run to run. */
function billOfMaterials(folders: string[]): string {
  const omitted = ['--omit=dev', '--omit=optional'];
  const printed = execFileSync('npm', ['sbom', ...omitted, '--sbom-format=cyclonedx'], { cwd: root, encoding: 'utf8' });
  const { serialNumber: _random, metadata, components, dependencies: _ofWorkspaces, ...bill } = JSON.parse(printed);
  const isOther = ({ purl = '' }) => !purl.startsWith('pkg:npm/%40business-loan-orders/');
  const added = folders.map(manifestOf).map(({ name, version, license }) => ({
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license && { licenses: [{ license: { id: license } }] }),
  }));
  const all = [...components.filter(isOther), ...added].map((component) => [component['bom-ref'], component] as const);
  const sorted = [...new Map(all).values()].sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
  const component = { ...metadata.component, name: manifest.name };
  return `${JSON.stringify({ ...bill, metadata: { component }, components: sorted }, undefined, 2)}\n`;
}

await buildPackage();
