import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/** Receives the inputs of a bundle: paths relative to this folder. */
export type OnBundled = (metafile: Metafile, folder: string) => void;

const page = fileURLToPath(new URL('../page/', import.meta.url));

/** Bundles the page and returns its files by path. The single-file command line contains the result instead of this module. */
export async function pageFiles(onBundled?: OnBundled) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: page,
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
  });
  onBundled?.(metafile, page);
  return new Map(
    outputFiles.map(({ path, text }) => {
      const type = `text/${path.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`;
      return [path, { type, content: text }] as const;
    }),
  );
}
