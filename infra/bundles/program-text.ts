import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** Puts JSONata into the bundle as text, where the sources read its file (core/offers/rule-language.ts). */
export const programText: Plugin = {
  name: 'program-text',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]offers[\\/]rule-language\.ts$/ }, ({ path }) => ({
      contents: "export { default as JSONATA } from 'jsonata/jsonata.min.js';",
      resolveDir: dirname(path),
    }));
    onLoad({ filter: /[\\/]jsonata\.min\.js$/ }, ({ path }) => ({ contents: readFileSync(path), loader: 'text' }));
  },
};
