import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
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
/** What pdf.js needs besides its code: the fonts that a PDF need not contain, and the decoders of JPEG 2000, JBIG2 and fax. */
const HELD: [folder: string, names: RegExp][] = [
  ['standard_fonts', /\.(pfb|ttf)$/],
  ['wasm', /^(jbig2|openjpeg)\.wasm$/],
];

/** Bundles the viewer. The command line that is built as one file has the result instead of this module. */
export async function viewerFile(onBundled?: OnBundled): Promise<ViewerFile> {
  const worker = await bundled('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
  const plugins = [heldParts(worker)];
  const [script, style] = await Promise.all([bundled('./viewer.ts', plugins, onBundled), bundled('./viewer.css')]);
  // Inside an element, the text of a script or a style ends at these words. esbuild writes them in another way.
  if (/<!--|<\/?script|<\/style/i.test(script + style)) throw new Error('The viewer cannot stand in one file.');
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>PDF</title>
<style>${style}</style></head>
<body><script>${script}</script></body>
</html>
`;
  return { content: Buffer.from(page), policy: policyOf(script, style) };
}

/**
 * The frame has an opaque origin and runs this one script. That script may compile WebAssembly, which decodes scanned pages, and may
 * start a worker from its own text. It reaches no address: fonts and images are made from the bytes that it was given.
 */
function policyOf(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
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
    loader: { '.pfb': 'binary', '.ttf': 'binary', '.wasm': 'binary' },
    plugins,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  onBundled?.(metafile, viewer);
  return outputFiles[0]?.text ?? '';
}

/** Fills `parts.ts`. */
function heldParts(worker: string): Plugin {
  const files = HELD.flatMap(([folder, names]) =>
    readdirSync(join(library, folder))
      .filter((name) => names.test(name))
      .map((name) => ({ name, path: join(library, folder, name) })),
  );
  const imports = files.map(({ path }, at) => `import file${at} from ${JSON.stringify(path)};`);
  const members = files.map(({ name }, at) => `${JSON.stringify(name)}: file${at}`);
  const contents = `${imports.join('\n')}
export const WORKER = ${JSON.stringify(worker)};
export const FILES = { ${members.join(', ')} };`;
  return {
    name: 'held-parts',
    setup: ({ onLoad }) => onLoad({ filter: /[\\/]viewer[\\/]parts\.ts$/ }, () => ({ contents, loader: 'js' })),
  };
}
