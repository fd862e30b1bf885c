import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * Lets esbuild drop unused operations from the SDK's clients, which is more than half of S3's client. Each client describes its
 * operations in one module, with computed keys such as `[_hH]` for `const _hH = "httpHeader"`. esbuild keeps every object with a
 * computed key, because evaluating the key might have a side effect. This plugin replaces these keys by their text.
 */
export const plainSchemaKeys: Plugin = {
  name: 'plain-schema-keys',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ }, ({ path }) => ({
      contents: withPlainKeys(readFileSync(path, 'utf8')),
      loader: 'js',
    }));
  },
};

/** Line numbers stay the same. Other computed keys stay as they are. */
export function withPlainKeys(source: string): string {
  const constants = new Map(
    [...source.matchAll(/^const (_\w+) = ("[^"\n]*");$/gm)].map(([, name, text]) => [name, text]),
  );
  return source.replaceAll(/\[(_\w+)\]:/g, (key, name) => (constants.has(name) ? `${constants.get(name)}:` : key));
}
