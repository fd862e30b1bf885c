import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { programAsText } from '../infra/bundles/build.ts';
import { commandLineParts } from './command-line-parts.ts';
import { licenceNotices } from './licence-notices.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const FILE = 'loan-orders.mjs';

/** Packages that only deploying needs. They are larger than everything else together. */
const NEVER_BUNDLED = /node_modules[\\/](aws-cdk-lib|constructs|cdk-nag|esbuild)[\\/]/;

/** Features that Node 20 lacks and that a search of the source text can find. */
const NEWER_THAN_NODE_20 =
  /\bPromise\.(withResolvers|try)\(|\bArray\.fromAsync\(|\b(Object|Map)\.groupBy\(|\.rawJSON\(|\bRegExp\.escape\(|\benableCompileCache\b|\bimport\.meta\.main\b|"node:sqlite"/;

/**
 * Builds the command line as one file in a folder.
 * @throws Error if the file contains a package that is never bundled, or a feature that Node 20 lacks.
 */
export async function buildCommandLine(folder: string): Promise<{ file: string; bytes: number }> {
  const shown: string[] = [];
  const { outputFiles, metafile } = await build({
    ...programAsText,
    absWorkingDir: root,
    entryPoints: ['scripts/bundled-entry.ts'],
    outfile: join(folder, FILE),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    // The server of the console is CommonJS, and asks for the modules of Node by `require`.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    define: { 'process.env.LOAN_ORDERS_COMMIT': JSON.stringify(commit()) },
    plugins: [commandLineParts((made, from) => shown.push(...usedFiles(made, from)))],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const code = outputFiles.map(({ text }) => text).join('');
  refuse(code, metafile);
  const text = code + licenceNotices([...usedFiles(metafile, root), ...shown]);
  const file = resolve(folder, FILE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return { file, bytes: Buffer.byteLength(text) };
}

function refuse(code: string, { inputs }: Metafile): void {
  const wrong = Object.keys(inputs).find((path) => NEVER_BUNDLED.test(path));
  if (wrong !== undefined) throw new Error(`The command line must not contain ${wrong}: import it where it is needed.`);
  const [newer] = NEWER_THAN_NODE_20.exec(code) ?? [];
  if (newer !== undefined) throw new Error(`The command line must run on Node 20, which does not have ${newer}.`);
}

/** Paths of all files that contribute to the result. */
function usedFiles({ outputs }: Metafile, folder: string): string[] {
  const used = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return used.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(folder, path));
}

/** The commit that is checked out, and whether files differ from it. Empty where there is no git. */
function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    return `${git('rev-parse', '--short=10', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ', changed'}`;
  } catch {
    return '';
  }
}

if (import.meta.main) {
  const { file, bytes } = await buildCommandLine(join(root, 'dist'));
  process.stdout.write(`${file}: ${(bytes / 1e6).toFixed(1)} MB, for Node 20.19 or newer.\n`);
}
