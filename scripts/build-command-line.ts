import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { PAGE } from '../console/server/page-files.ts';
import { programAsText } from '../infra/bundles/build.ts';
import { writeFiles } from '../infra/bundles/own-files.ts';
import { packageName } from './check-licences.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const FILE = 'loan-orders.mjs';

/** Packages that only a checkout needs. They are larger than all others together. */
const CHECKOUT_ONLY = ['aws-cdk-lib', 'constructs', 'cdk-nag', 'esbuild'];

/** Features that Node 20 lacks, as far as a text search can find them. */
const NEWER_THAN_NODE_20 =
  /\bPromise\.(withResolvers|try)\(|\bArray\.fromAsync\(|\b(Object|Map)\.groupBy\(|\.rawJSON\(|\bRegExp\.escape\(|\benableCompileCache\b|\bimport\.meta\.main\b|"node:sqlite"/;

/**
 * Builds the command line as one file in a folder.
 * @throws Error if the file contains a feature that Node 20 lacks.
 */
export async function buildCommandLine(folder: string): Promise<{ file: string; bytes: number }> {
  const page = await build(PAGE);
  const pageFiles = JSON.stringify(page.outputFiles.map(({ path, text }) => [path, text]));
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
    // The console's server has CommonJS code, which calls `require` for Node's modules.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    external: CHECKOUT_ONLY,
    define: {
      'process.env.LOAN_ORDERS_COMMIT': JSON.stringify(commit()),
      'process.env.LOAN_ORDERS_PAGE': `"${Buffer.from(pageFiles).toString('base64')}"`,
      // The SDK's next versions need a newer Node. The built file contains a fixed version of the SDK.
      'process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED': '"true"',
    },
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const code = outputFiles.map(({ text }) => text).join('');
  const [newer] = NEWER_THAN_NODE_20.exec(code) ?? [];
  if (newer !== undefined) throw new Error(`The command line must run on Node 20, which does not have ${newer}.`);
  const text = code + licenceNotices([...usedFiles(metafile, root), ...usedFiles(page.metafile, PAGE.absWorkingDir)]);
  const file = resolve(folder, FILE);
  writeFiles(folder, { [FILE]: text }, 0o755);
  return { file, bytes: Buffer.byteLength(text) };
}

/** Paths of all files that are part of the result. */
function usedFiles({ outputs }: Metafile, folder: string): string[] {
  const used = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return used.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(folder, path));
}

/** The current commit, and whether files differ from it. Empty without git. */
function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    return `${git('rev-parse', '--short=10', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ', changed'}`;
  } catch {
    return '';
  }
}

const FOLDER = '/node_modules/';
const LICENCE = /^(licen[cs]e|copying|notice|copyrightnotice)/i;

/**
 * A comment with the licences of all packages that the files belong to, because a licence must accompany each copy of its package. Each
 * text appears once.
 */
function licenceNotices(files: string[]): string {
  const folders = [...new Set(files.flatMap((file) => packageFolder(file) ?? []))].sort();
  const packages = new Map<string, string[]>();
  for (const folder of folders) {
    const text = licenceOf(folder);
    packages.set(text, [...(packages.get(text) ?? []), packageName(folder)]);
  }
  const notices = [...packages].map(([text, names]) => `${names.join(', ')}\n\n${text}`);
  return `/*\nThis file contains these packages, each under its licence.\n\n${notices.join('\n\n----\n\n')}\n*/\n`;
}

function packageFolder(file: string): string | undefined {
  const path = file.replaceAll('\\', '/');
  const begin = path.lastIndexOf(FOLDER);
  if (begin === -1) return undefined;
  const [first = '', second = ''] = path.slice(begin + FOLDER.length).split('/');
  return path.slice(0, begin + FOLDER.length) + (first.startsWith('@') ? `${first}/${second}` : first);
}

/** The text of a package's licence files or, without such files, the name of its licence. */
function licenceOf(folder: string): string {
  const texts = readdirSync(folder)
    .filter((name) => LICENCE.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim().replaceAll('*/', '* /'));
  if (texts.length > 0) return texts.join('\n\n');
  const { license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    license: string;
    author?: string | { name: string };
  };
  const who = typeof author === 'string' ? author : author?.name;
  return `Licence: ${license}${who ? `, by ${who}` : ''}`;
}

if (import.meta.main) {
  const { file, bytes } = await buildCommandLine(join(root, 'dist'));
  process.stdout.write(`${file}: ${(bytes / 1e6).toFixed(1)} MB, for Node 20.19 or newer.\n`);
}
