import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

export interface PageFile {
  type: string;
  content: string;
}

export const PAGE = {
  absWorkingDir: fileURLToPath(new URL('../page/', import.meta.url)),
  entryPoints: { page: 'main.tsx', style: 'style.css' },
  outdir: '/',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  metafile: true,
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** In the package, the page's files as {@link pageFiles} reads them. */
export const BUILT_PAGE = fileURLToPath(new URL('../page/built.json', import.meta.url));

/** The page's files by path: as released, in the one file as base64, else bundled now. */
export async function pageFiles(inserted = process.env.LOAN_ORDERS_PAGE): Promise<Map<string, PageFile>> {
  const built = inserted ? Buffer.from(inserted, 'base64') : existsSync(BUILT_PAGE) && readFileSync(BUILT_PAGE);
  const files = built ? (JSON.parse(String(built)) as [string, string][]) : await bundled();
  const type = (path: string) => `text/${path.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`;
  return new Map(files.map(([path, content]) => [path, { type: type(path), content }]));
}

async function bundled() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build(PAGE);
  return outputFiles.map(({ path, text }) => [path, text] as const);
}
