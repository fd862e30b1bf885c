import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'esbuild';
import { pageFiles } from '../console/server/page-files.ts';
import { stageSettings } from '../infra/stages.ts';
import manifest from '../package.json' with { type: 'json' };

const STAGES = ['test', 'prod', 'local'];

/**
 * Replaces modules that need the clone by what they give. The settings of the stages are checked when the file is built, and
 * files that they name are read.
 * @throws Error that names each setting that can't be used.
 */
export function commandLineParts(): Plugin {
  const settings = Object.fromEntries(STAGES.map((stage) => [stage, stageSettings(stage)]));
  const { name, version } = manifest;
  const replacements: [module: RegExp, contents: string][] = [
    [
      /[\\/]infra[\\/]stages\.ts$/,
      `const settings = ${JSON.stringify(settings)}; export const stageSettings = (name) => settings[name];`,
    ],
    [
      /[\\/]offers[\\/]rule-evaluator-module\.ts$/,
      'export const MODULE = new URL(import.meta.url); // scripts/bundled-entry.ts',
    ],
    // The SDK warns on Node 20 that its next versions need a newer one. A built file has no next version.
    [
      /[\\/]@aws-sdk[\\/]core[\\/].*[\\/]emitWarningIfUnsupportedVersion\.js$/,
      'export const state = { warningEmitted: true }; export const emitWarningIfUnsupportedVersion = () => undefined;',
    ],
    // Every message of our own schemas is English.
    [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, "export { default as en } from './en.js';"],
  ];
  return {
    name: 'command-line-parts',
    setup({ onLoad }) {
      for (const [filter, contents] of replacements) onLoad({ filter }, () => ({ contents, loader: 'js' }));
      onLoad({ filter: /[\\/]console[\\/]server[\\/]page-files\.ts$/ }, async () => ({
        contents: await packedPage(),
        loader: 'js',
      }));
      onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) =>
        path.includes('node_modules') ? undefined : { contents: JSON.stringify({ name, version }), loader: 'json' },
      );
    },
  };
}

/** The bundled page, instead of what bundles it. */
async function packedPage(): Promise<string> {
  const packed = [...(await pageFiles())].map(([path, { type, content }]) => {
    return [path, type, brotliCompressSync(content).toString('base64')];
  });
  return `import { brotliDecompressSync } from 'node:zlib';
const packed = ${JSON.stringify(packed)};
export async function pageFiles() {
  return new Map(packed.map(([path, type, text]) => [path, { type, content: brotliDecompressSync(Buffer.from(text, 'base64')) }]));
}`;
}
