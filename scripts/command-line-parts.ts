import { brotliCompressSync, constants } from 'node:zlib';
import type { Plugin } from 'esbuild';
import { type OnBundled, pageFiles } from '../console/server/page-files.ts';
import { viewerFile } from '../console/server/viewer-file.ts';
import manifest from '../package.json' with { type: 'json' };

/**
 * Replaces modules that need a clone of the project by their results. `onBundled` gets the files that the page and the viewer are made of.
 */
export function commandLineParts(onBundled: OnBundled): Plugin {
  const { name, version } = manifest;
  const replacements: [module: RegExp, contents: string | (() => Promise<string>)][] = [
    [
      /[\\/]offers[\\/]rule-explainer-module\.ts$/,
      'export const MODULE = new URL(import.meta.url); // scripts/bundled-entry.ts',
    ],
    // On Node 20, the SDK warns that its next versions need a newer Node. A built file keeps its version of the SDK.
    [
      /[\\/]@aws-sdk[\\/]core[\\/].*[\\/]emitWarningIfUnsupportedVersion\.js$/,
      'export const state = { warningEmitted: true }; export const emitWarningIfUnsupportedVersion = () => undefined;',
    ],
    // The messages of our schemas are English only.
    [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, "export { default as en } from './en.js';"],
    [/[\\/]console[\\/]server[\\/]page-files\.ts$/, () => packedPage(onBundled)],
    [/[\\/]console[\\/]server[\\/]viewer-file\.ts$/, () => packedViewer(onBundled)],
  ];
  return {
    name: 'command-line-parts',
    setup({ onLoad }) {
      for (const [filter, made] of replacements) {
        onLoad({ filter }, async () => ({ contents: typeof made === 'string' ? made : await made(), loader: 'js' }));
      }
      onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) =>
        path.includes('node_modules') ? undefined : { contents: JSON.stringify({ name, version }), loader: 'json' },
      );
    },
  };
}

/** The bundled page replaces the code that bundles it. */
async function packedPage(onBundled: OnBundled): Promise<string> {
  const packed = [...(await pageFiles(onBundled))].map(([path, { type, content }]) => {
    return [path, type, brotliCompressSync(content).toString('base64')];
  });
  return `import { brotliDecompressSync } from 'node:zlib';
const packed = ${JSON.stringify(packed)};
export async function pageFiles() {
  return new Map(packed.map(([path, type, text]) => [path, { type, content: brotliDecompressSync(Buffer.from(text, 'base64')) }]));
}`;
}

/** The bundled PDF viewer replaces the code that bundles it. */
async function packedViewer(onBundled: OnBundled): Promise<string> {
  const { content, policy } = await viewerFile(onBundled);
  // A higher quality takes seconds and saves a tenth of the size.
  const packed = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).toString('base64');
  return `import { brotliDecompressSync } from 'node:zlib';
export async function viewerFile() {
  return { content: brotliDecompressSync(Buffer.from(${JSON.stringify(packed)}, 'base64')), policy: ${JSON.stringify(policy)} };
}`;
}
