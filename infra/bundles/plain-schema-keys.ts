import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * The SDK's clients describe all their operations in one module, with keys such as `[_hH]` for `const _hH = "httpHeader"`. esbuild keeps
 * whatever has a computed key, since evaluating it might do something, and with it every operation of S3. With the key's own text
 * in its place, what no function uses is left out: more than half of S3's client.
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

/** Changes no line's number; a key that is no such constant stays as it is. */
export function withPlainKeys(source: string): string {
  const constants = new Map(
    [...source.matchAll(/^const (_\w+) = ("[^"\n]*");$/gm)].map(([, name, text]) => [name, text]),
  );
  return source.replaceAll(/\[(_\w+)\]:/g, (key, name) => (constants.has(name) ? `${constants.get(name)}:` : key));
}
