import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/** Receives what a bundle was made of: paths relative to this folder. */
export type OnBundled = (metafile: Metafile, folder: string) => void;

/** A file of the page, by its path. */
export type PageFiles = Map<string, { type: string; content: Uint8Array }>;

const page = fileURLToPath(new URL('../page/', import.meta.url));
const TYPES: Record<string, string> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };

/** Bundles the page. The command line that is built as one file has the result instead of this module. */
export async function pageFiles(onBundled?: OnBundled): Promise<PageFiles> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: page,
    entryPoints: { page: 'main.tsx', style: 'style.css' },
    outdir: '/',
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: { react: 'preact/compat', 'react-dom': 'preact/compat' },
    minify: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  onBundled?.(metafile, page);
  return new Map(
    outputFiles.map(({ path, contents }) => {
      const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      return [path, { type, content: contents }];
    }),
  );
}
