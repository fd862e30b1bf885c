import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PAGE } from '../console/server/page-files.ts';
import { programAsText } from '../infra/bundles/build.ts';
import { writeFiles } from '../infra/bundles/own-files.ts';
import { licenceNotices, packageFolders, usedFiles } from './licence-notices.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const FILE = 'loan-orders.mjs';

/** What only the package has, beside the command line: stacks, and the laptop. */
const PACKAGE_ONLY = ['aws-cdk-lib', 'constructs', 'cdk-nag', 'esbuild', '*/laptop/run-laptop.ts'];

/** Builds the command line as one file in a folder, for people without npm. */
export async function buildCommandLine(folder: string): Promise<{ file: string; bytes: number }> {
  const page = await build(PAGE);
  const pageFiles = JSON.stringify(page.outputFiles.map(({ path, text }) => [path, text]));
  const { outputFiles, metafile } = await build({
    ...programAsText,
    absWorkingDir: root,
    entryPoints: ['commands/main.ts'],
    outfile: join(folder, FILE),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    // The console's server has CommonJS code, which calls `require` for Node's modules.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    external: PACKAGE_ONLY,
    define: {
      'process.env.LOAN_ORDERS_COMMIT': JSON.stringify(commit()),
      'process.env.LOAN_ORDERS_PAGE': `"${Buffer.from(pageFiles).toString('base64')}"`,
    },
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const code = outputFiles.map(({ text }) => text).join('');
  const files = [...usedFiles(metafile, root), ...usedFiles(page.metafile, PAGE.absWorkingDir)];
  const text = `${code}/*\n${licenceNotices(packageFolders(files))}*/\n`;
  writeFiles(folder, { [FILE]: text }, 0o755);
  return { file: resolve(folder, FILE), bytes: Buffer.byteLength(text) };
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

if (import.meta.main) {
  const { file, bytes } = await buildCommandLine(join(root, 'build'));
  process.stdout.write(`${file}: ${(bytes / 1e6).toFixed(1)} MB, for Node 22.12 or newer.\n`);
}
