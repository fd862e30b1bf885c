import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import type { BuildOptions, Metafile } from 'esbuild';

/** The files of a function in Lambda, by name: a self-contained module with its source map, and another pair for each thread that it starts. */
export type Bundle = Record<string, Uint8Array>;

/** Loaded when it is needed: the package has its bundles, and no esbuild. */
export const esbuild = () => createRequire(import.meta.url)('esbuild') as typeof import('esbuild');

/** Ends the file name of a thread, `<name>-thread.ts`. The module that starts it is `<name>.ts` in the same folder. */
const THREAD = '-thread.ts';

/** Puts JSONata into a bundle as text: `imports` in package.json says which file `#jsonata-program` is. */
export const programAsText = {
  conditions: ['module', 'bundled'],
  loader: { '.min.js': 'text' },
} as const satisfies BuildOptions;

/** The folder of each function, relative to `root`, by function name: below `functions`, or below the `functions` of another folder. */
export function functionFolders(root: string): Record<string, string> {
  const parents = ['functions', ...readdirSync(root).map((name) => `${name}/functions`)];
  const folders = parents
    .filter((parent) => existsSync(`${root}${parent}`))
    .flatMap((parent) => readdirSync(`${root}${parent}`).map((name) => [name, `${parent}/${name}`] as const));
  return Object.fromEntries(folders.sort().filter(([, folder]) => existsSync(`${root}${folder}/handler.ts`)));
}

/**
 * Options to build all functions in one call. Source maps name the sources relative to a folder `<one>/<function>/` below `root`.
 */
export function buildOptions(root: string) {
  const core = existsSync(`${root}core`) ? readdirSync(`${root}core`, { recursive: true, encoding: 'utf8' }) : [];
  const threads = core.filter((file) => file.endsWith(THREAD)).sort();
  return {
    ...programAsText,
    absWorkingDir: root,
    entryPoints: Object.fromEntries([
      ...Object.entries(functionFolders(root)).map(([name, folder]) => [`${name}/index`, `${folder}/handler.ts`]),
      ...threads.map((file) => [`shared/${basename(file, '.ts')}`, `core/${file}`]),
    ]),
    outdir: 'bundles',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    alias: { '@aws-sdk/credential-provider-node': `${root}core/aws/environment-credentials.ts` },
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

/** @throws Error with esbuild's message. */
export function build(options: BuildOptions) {
  const built = esbuild().buildSync({ ...options, write: false, metafile: true });
  const files: Record<string, Bundle> = {};
  for (const { path, contents } of built.outputFiles) {
    const [name = '', file = ''] = path.split(/[\\/]/).slice(-2);
    files[name] = { ...files[name], [file]: contents };
  }
  const { shared: threads = {}, ...functions } = files;
  const bundles = Object.fromEntries(
    Object.entries(functions).map(([name, bundle]) => [
      name,
      { ...bundle, ...threadsOf(name, threads, built.metafile) },
    ]),
  );
  const warnings = esbuild().formatMessagesSync(built.warnings, { kind: 'warning' });
  return { bundles, warnings: warnings.join(''), metafile: built.metafile };
}

/** The files of threads that the function starts: `x-thread` is started by the module `x.ts`, so the bundle contains that. */
function threadsOf(name: string, threads: Bundle, { outputs }: Metafile): Bundle {
  const modules = new Set(
    Object.keys(outputs[`bundles/${name}/index.mjs`]?.inputs ?? {}).map((path) => basename(path)),
  );
  const isStarted = (file: string) => modules.has(`${file.slice(0, file.indexOf('-thread.'))}.ts`);
  return Object.fromEntries(Object.entries(threads).filter(([file]) => isStarted(file)));
}
