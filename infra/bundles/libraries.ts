import { isBuiltin } from 'node:module';
import { type BuildOptions, type BuildResult, buildSync } from 'esbuild';

/** The folder of the libraries, beside the folders of the functions' bundles. */
export const LIBRARIES = 'libraries';

type Built = BuildResult<{ write: false; metafile: true }>;

const kept = { write: false, metafile: true } as const;

/**
 * Builds functions without their packages, which they import from modules beside them.
 * @throws Error with esbuild's message.
 */
export function buildWithoutPackages(options: BuildOptions): Built & { packages: ReadonlySet<string> } {
  // Without minification, each import has its own line, so source maps stay correct when its path changes.
  const functions = buildSync({ ...options, ...kept, packages: 'external', minify: false });
  const imports = Object.values(functions.metafile.outputs).flatMap((output) => output.imports);
  const packages = new Set(imports.flatMap(({ path, external }) => (external && !isBuiltin(path) ? [path] : [])));
  for (const file of functions.outputFiles)
    if (file.path.endsWith('.mjs')) file.contents = Buffer.from(importLibraries(file.text, packages));
  return { ...functions, packages };
}

/**
 * The same, and each package as a module beside them: a thread with many functions then loads a package once.
 * @throws Error with esbuild's message.
 */
export function buildWithLibraries(options: BuildOptions): Built {
  const { packages, ...functions } = buildWithoutPackages(options);
  const libraries = buildSync({
    ...options,
    ...kept,
    entryPoints: Object.fromEntries([...packages].map((name) => [`${LIBRARIES}/${fileOf(name)}`, name])),
    chunkNames: `${LIBRARIES}/[name]-[hash]`,
    splitting: true,
  });
  return { ...functions, outputFiles: [...functions.outputFiles, ...libraries.outputFiles] };
}

const importLibraries = (bundle: string, packages: ReadonlySet<string>): string =>
  bundle.replaceAll(/((?:from|import) |import\()"([^"]+)"/g, (found, before: string, name: string) =>
    packages.has(name) ? `${before}"../${LIBRARIES}/${fileOf(name)}.mjs"` : found,
  );

const fileOf = (name: string) => name.replaceAll('/', '+');
