import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { keepBundle, readKept, sha256 } from '../infra/bundles/cache.ts';
import { type Files, writeFiles } from '../infra/bundles/own-files.ts';
import { stagesFolder } from '../infra/stage-folder.ts';
import { projectRoot, type SynthesisOptions, synthesize } from './synthesize.ts';

/** Names at the root of the project that a synth never reads. A change of packages shows in the lock file. */
const NO_INPUT = /^(\.git|\.local|node_modules|cdk\.out.*|coverage|bench|test|docs)$/;

/** Bytes. A larger file cannot be part of a template and takes long to read. */
const LARGEST_INPUT = 8 * 1024 * 1024;

/**
 * Writes the cloud assembly of a stage to `directory`: from the cache if nothing that a synth may read has changed, otherwise from a
 * new synth.
 * @throws Error as `synthesize` does.
 */
export async function provideAssembly(stage: string, directory: string, options: SynthesisOptions = {}): Promise<void> {
  const { root = projectRoot, context = {}, signal } = options;
  signal?.throwIfAborted();
  const inputs = inputsOf(root);
  // The list of files is included, because a synth may read a file that is new.
  const settings = sha256(JSON.stringify([root, inputs, process.version, surroundings()]));
  const name = [stage, ...Object.entries(context).flat()].join('-');
  const path = `${root}node_modules/.cache/loan-orders/assembly-${name}`;
  const kept = readKept<Files>(path, settings, root);
  if (kept) return writeFiles(directory, kept);
  const startedAt = Date.now();
  await synthesize(stage, directory, options);
  const files = Object.fromEntries(
    filesBelow(directory).map((file) => [relative(directory, file), readFileSync(file)] as const),
  );
  keepBundle(path, { settings, content: files }, root, inputs, startedAt);
}

export const rootInputs = (root: string) => readdirSync(root).filter((name) => !NO_INPUT.test(name));

function inputsOf(root: string): string[] {
  return [...rootInputs(root).map((name) => join(root, name)), stagesFolder()]
    .flatMap(filesBelow)
    .map((file) => relative(root, file))
    .sort();
}

function filesBelow(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
  return found?.isFile() && found.size <= LARGEST_INPUT ? [path] : [];
}

/** The environment (not the user agent, which Powertools sets when imported) and settings that the CDK reads. */
function surroundings(): unknown[] {
  const variables = Object.entries(process.env).filter(([name]) => /^(CDK|AWS)_(?!SDK_UA_APP_ID$)/.test(name));
  const ownSettings = join(homedir(), '.cdk.json');
  return [variables.sort(), existsSync(ownSettings) ? readFileSync(ownSettings, 'utf8') : ''];
}
