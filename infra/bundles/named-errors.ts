import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { withPlainKeys } from './plain-schema-keys.ts';

const folders = ['functions', 'core', 'bank-exchange'].map((name) => new URL(`../../${name}/`, import.meta.url));

/**
 * Leaves the classes of errors that no function names out of three clients, which is up to 8 KB of each. A client registers
 * a class for every error of its service, so esbuild keeps them all. An error without a class is thrown as the client's own
 * `…ServiceException`, with the same name, message and HTTP status, as every error is that is newer than the client.
 */
export const namedErrors: Plugin = {
  name: 'named-errors',
  setup({ onLoad }) {
    const filter = /[\\/]@aws-sdk[\\/]client-(?:dynamodb|sfn|eventbridge)[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/;
    onLoad({ filter }, ({ path }) => ({
      contents: withPlainKeys(withNamedErrors(readFileSync(path, 'utf8'), namesInFunctions())),
      loader: 'js',
    }));
  },
};

/** Registers only the errors with these names, and those that the client itself marks to be tried again. */
export function withNamedErrors(source: string, names: ReadonlySet<string>): string {
  return source.replaceAll(/^n0_registry\.registerError\(\w+\$, (\w+)\);$/gm, (line, name) =>
    names.has(name) || RETRYABLE.has(name) ? line : '',
  );
}

/** Its class carries `$retryable`. */
const RETRYABLE: ReadonlySet<string> = new Set(['ReplicatedWriteConflictException']);

/** Every word of the functions' code that could be the name of a class. */
function namesInFunctions(): Set<string> {
  const names = folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').match(/\b[A-Z]\w+\b/g) ?? []),
  );
  return new Set(names);
}
