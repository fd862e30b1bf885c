import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'esbuild';
import { type OnBundled, pageFiles } from '../console/server/page-files.ts';
import manifest from '../package.json' with { type: 'json' };

/**
 * An esbuild plugin that replaces modules that need a clone of the project by their results. `onBundled` receives the page's source files.
 */
export function commandLineParts(onBundled: OnBundled): Plugin {
  const { name, version } = manifest;
  const replacements: [module: RegExp, contents: string | (() => Promise<string>)][] = [
    [
      /[\\/]rule[\\/]explainer-module\.ts$/,
      'export const MODULE = new URL(import.meta.url); // scripts/bundled-entry.ts',
    ],
    // On Node 20, the SDK warns that its next versions need a newer Node. The built file contains a fixed version of the SDK.
    [
      /[\\/]@aws-sdk[\\/]core[\\/].*[\\/]emitWarningIfUnsupportedVersion\.js$/,
      'export const state = { warningEmitted: true }; export const emitWarningIfUnsupportedVersion = () => undefined;',
    ],
    // Messages of our schemas are only in English.
    [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, "export { default as en } from './en.js';"],
    [/[\\/]console[\\/]server[\\/]page-files\.ts$/, () => packedPage(onBundled)],
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

async function packedPage(onBundled: OnBundled): Promise<string> {
  const packed = [...(await pageFiles(onBundled))].map(([path, { type, content }]) => {
    return [path, type, brotliCompressSync(content).toString('base64')];
  });
  return `import { brotliDecompressSync } from 'node:zlib';
const packed = ${JSON.stringify(packed)};
export async function pageFiles() {
  return new Map(packed.map(([path, type, text]) => [path, { type, content: String(brotliDecompressSync(Buffer.from(text, 'base64'))) }]));
}`;
}
