import { hash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type Files, isOwn, makePrivate, writeFiles } from '../infra/bundles/own-files.ts';
import { stagesFolder } from '../infra/stage-folder.ts';
import { projectRoot, type SynthesisOptions, synthesize } from './synthesize.ts';

/** Names at the root of the project that a synth never reads. A change of packages shows in the lock file. */
const NO_INPUT = /^(\.git|\.local|node_modules|cdk\.out.*|coverage|build|dist|test|docs)$/;

/** Bytes. A larger file cannot be part of a template and takes long to read. */
const LARGEST_INPUT = 8 * 1024 * 1024;

/** An assembly, and the hash of all that its synth may have read. */
interface Kept {
  inputs: string;
  files: Files;
}

/**
 * Writes the cloud assembly of a stage to `directory`: from the cache if nothing that a synth may read has changed, otherwise from a
 * new synth.
 * @throws Error as `synthesize` does.
 */
export async function provideAssembly(stage: string, directory: string, options: SynthesisOptions = {}): Promise<void> {
  const { root = projectRoot, context = {}, signal } = options;
  signal?.throwIfAborted();
  const name = [stage, ...Object.entries(context).flat()].join('-');
  const path = `${root}node_modules/.cache/loan-orders/assembly-${name}`;
  const inputs = hashOfInputs(root);
  const kept = readKept(path);
  if (kept?.inputs === inputs) return writeFiles(directory, kept.files);
  await synthesize(stage, directory, options);
  // It is unknown whether the synth has read a file before or after it was saved.
  if (hashOfInputs(root) !== inputs) return;
  const files = filesBelow(directory).map((file) => [relative(directory, file), readFileSync(file)] as const);
  keep(path, { inputs, files: Object.fromEntries(files) });
}

/** Undefined if the file is missing, unreadable, or may belong to another user. */
export function readKept(path: string): Kept | undefined {
  try {
    return isOwn(dirname(path)) && isOwn(path) ? (deserialize(readFileSync(path)) as Kept) : undefined;
  } catch {
    return undefined;
  }
}

/** Each process renames its own file, so readers never see an incomplete file. */
export function keep(path: string, kept: Kept): void {
  const part = `${path}.${process.pid}.part`;
  try {
    makePrivate(dirname(path));
    writeFileSync(part, serialize(kept), { mode: 0o600 });
    renameSync(part, path);
  } catch {
    // node_modules is read-only or another user's, or the disk is full. The next start synthesizes again.
    try {
      rmSync(part, { force: true });
    } catch {}
  }
}

export const rootInputs = (root: string) => readdirSync(root).filter((name) => !NO_INPUT.test(name));

/** The list of files is included, because a synth may read a file that is new. */
function hashOfInputs(root: string): string {
  const files = [...rootInputs(root).map((name) => join(root, name)), stagesFolder()].flatMap(filesBelow).sort();
  const hashes = files.map((file) => [relative(root, file), hash('sha256', readFileSync(file))]);
  return hash('sha256', JSON.stringify([root, hashes, process.version, surroundings()]));
}

function filesBelow(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
  return found?.isFile() && found.size <= LARGEST_INPUT ? [path] : [];
}

/** The environment that the CDK reads, without the user agent, which Powertools sets when imported. */
const surroundings = () =>
  Object.entries(process.env)
    .filter(([name]) => /^(CDK|AWS)_(?!SDK_UA_APP_ID$)/.test(name))
    .sort();
