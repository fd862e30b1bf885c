import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { OnBundled } from './page-files.ts';

/** The page in the frame that shows PDFs: one file that holds all that it needs, and the policy that it is served with. */
export interface ViewerFile {
  content: Uint8Array;
  policy: string;
}

const viewer = fileURLToPath(new URL('../page/viewer/', import.meta.url));
const library = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')));
const WORKER = 'pdfjs-dist/legacy/build/pdf.worker.min.mjs';
const FONTS = join(library, 'standard_fonts');
const DECODERS = join(library, 'wasm');

/** Bundles the viewer. The command line that is built as one file has the result instead of this module. */
export async function viewerFile(onBundled?: OnBundled): Promise<ViewerFile> {
  const worker = await bundled(WORKER, [heldDecoders], onBundled);
  const plugins = [heldParts(worker)];
  const [script, style] = await Promise.all([bundled('./viewer.ts', plugins, onBundled), bundled('./viewer.css')]);
  // These texts would end the script or style element early. esbuild escapes them.
  if (/<!--|<\/?script|<\/style/i.test(script + style)) throw new Error('The viewer cannot stand in one file.');
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width, initial-scale=1"><title>PDF</title>
<style>${style}</style></head>
<body><script>${script}</script></body>
</html>
`;
  return { content: Buffer.from(page), policy: policyOf(script, style) };
}

/**
 * The frame has an opaque origin and runs this one script, which may start a worker from its own text. It reaches no address:
 * fonts and images are made of the bytes that it was given.
 */
function policyOf(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

async function bundled(entry: string, plugins: Plugin[] = [], onBundled?: OnBundled): Promise<string> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: viewer,
    entryPoints: [entry],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    loader: { '.pfb': 'binary', '.ttf': 'binary' },
    plugins,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  onBundled?.(metafile, viewer);
  return outputFiles[0]?.text ?? '';
}

/** Fills `parts.ts`: with the worker, and the standard fonts, which a PDF need not contain. */
function heldParts(worker: string): Plugin {
  const names = readdirSync(FONTS).filter((name) => /\.(pfb|ttf)$/.test(name));
  const imports = names.map((name, at) => `import file${at} from ${JSON.stringify(join(FONTS, name))};`);
  const members = names.map((name, at) => `${JSON.stringify(name)}: file${at}`);
  const contents = `${imports.join('\n')}
export const WORKER = ${JSON.stringify(worker)};
export const FILES = { ${members.join(', ')} };`;
  return {
    name: 'held-parts',
    setup: ({ onLoad }) => onLoad({ filter: /[\\/]viewer[\\/]parts\.ts$/ }, () => ({ contents, loader: 'js' })),
  };
}

/**
 * Puts the decoders of JPEG 2000, JBIG2 and fax into the worker, which would import them from an address. They are JavaScript: their
 * WebAssembly is faster, but the policy would have to allow code to be compiled.
 */
const heldDecoders: Plugin = {
  name: 'held-decoders',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]pdf\.worker\.min\.mjs$/ }, async ({ path }) => {
      const [before, name, after, ...more] = (await readFile(path, 'utf8')).split(IMPORTED);
      if (after === undefined || more.length > 0) throw new Error('pdf.js imports its decoders in another way.');
      const names = readdirSync(DECODERS).filter((one) => one.endsWith('_nowasm_fallback.js'));
      const held = names.map((one) => `${JSON.stringify(one)}: () => import('pdfjs-dist/wasm/${one}')`);
      return { contents: `${before}({ ${held.join(', ')} })[${name}]()${after}`, loader: 'js' };
    }),
};

/** An import of a file from an address that is known when it runs. */
const IMPORTED = /\bimport\(\s*(?:\/\*.*?\*\/\s*)*`\$\{[^}]+\}\$\{([^}]+)\}`\)/s;
