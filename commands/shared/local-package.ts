import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { FoundObject } from '../../core/aws/storage.ts';
import { ofFile, type Problem } from '../../core/json/json-problems.ts';
import { inWords } from '../../core/messages/english.ts';
import { isFileName, isOfSystem, isOrderRef } from '../../core/package/intake-key.ts';
import { nearestName } from '../../core/package/nearest-name.ts';
import {
  type CheckResult,
  checkWholePackage,
  type FindFile,
  ORDER_JSON_BYTES,
  type PackageSettings,
} from '../../core/package/whole-package.ts';
import { fittingFile, fittingName } from './fitting-names.ts';
import { filesBelow, isLinked, openUnlinked } from './local-file.ts';
import { Refusal } from './text.ts';

/** A package on this machine, after the checks of the function `check-package`. */
export interface LocalPackage extends CheckResult {
  /** The path of the folder, as the user typed it. */
  folder: string;
  orderRef: string;
  /** The bytes of `order.json` that were checked. */
  orderJson: Uint8Array;
  /** Files in the folder that `order.json` does not name. They are not part of the package. */
  unnamed: string[];
}

/** Reads and checks the package in a folder. Uses no network. Throws a Refusal when the folder has no `order.json` that can be read. */
export async function readPackage(
  folder: string,
  settings: PackageSettings,
  wishedRef?: string,
): Promise<LocalPackage> {
  const orderRef = wishedRef ?? basename(resolve(folder));
  const names = await filesOf(folder);
  const find = (file: string) => factsOf(folder, file);
  const isReadable = names.includes('order.json') && !(await find('order.json'))?.unreadable;
  const orderJson = isReadable ? await readUpTo(join(folder, 'order.json'), ORDER_JSON_BYTES) : undefined;
  const checked = await checkPackage({ what: `Folder ${folder}`, orderRef, names, orderJson, find }, settings);
  return { folder, orderRef, orderJson: orderJson ?? Buffer.alloc(0), ...checked };
}

/** Files of a package, wherever they are. */
interface PackageFiles {
  /** Begins a sentence. */
  what: string;
  orderRef: string;
  names: readonly string[];
  /** Undefined if it is too large, or cannot be read. */
  orderJson: Uint8Array | undefined;
  find: FindFile;
}

/** Checks a package. Throws a Refusal when it has no `order.json`. */
export async function checkPackage(
  { what, orderRef, names, orderJson, find }: PackageFiles,
  settings: PackageSettings,
): Promise<CheckResult & Pick<LocalPackage, 'unnamed'>> {
  const found = names.includes('order.json') && (await find('order.json'));
  if (!found) throw withoutOrderJson(what, names);
  const { unreadable } = found;
  const hasValidName = isOrderRef(orderRef);
  const near = (file: string) => nearestName(file, [...names]);
  const { problems, ...checked } = await checkWholePackage(
    { folder: orderRef, hasValidName, bytes: orderJson, unreadable, find, near },
    settings,
  );
  const named = new Set(['order.json', ...(checked.passed?.documents ?? []).map(({ file }) => file)]);
  const unnamed = checked.passed ? names.filter((name) => !named.has(name)) : [];
  return { unnamed, problems: problems.map((problem) => withName(problem, orderRef, orderJson)), ...checked };
}

/** Adds a valid name to a problem with a name. */
function withName(found: Problem, orderRef: string, orderJson: Uint8Array | undefined): Problem {
  const { path, code, params } = found;
  if (code === 'folderName') {
    const wouldDo = fittingName(orderRef);
    return isOrderRef(wouldDo) ? ofFile('folderName', { wouldDo }) : found;
  }
  if (code !== 'fileName') return found;
  const position = Number(/\d+/.exec(path)?.[0]);
  const { documents } = JSON.parse(new TextDecoder().decode(orderJson)) as { documents: { file?: unknown }[] };
  const wouldDo = fittingFile(String(documents[position]?.file));
  return isFileName(wouldDo) ? { path, ...inWords('fileName', { ...(params as { file: string }), wouldDo }) } : found;
}

/** Without files of systems and editors. */
async function filesOf(folder: string): Promise<string[]> {
  const files = await filesBelow(folder).catch((error: Error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new Refusal(`Folder ${folder} does not exist: nothing was done.`);
    if (code === 'ENOTDIR') throw new Refusal(`${folder} is a file: give the folder of the package. Nothing was done.`);
    throw new Refusal(`Folder ${folder} can't be read (${code}): nothing was done.`);
  });
  return files.filter((path) => !isOfSystem(path));
}

function withoutOrderJson(what: string, names: readonly string[]): Refusal {
  const [alike] = names.filter((name) => basename(name).toLowerCase() === 'order.json');
  const fix = alike
    ? `It has ${alike}: the name must be order.json, directly in the folder.`
    : 'Write one: examples/two-offers has the form.';
  return new Refusal(`${what} has no order.json: it is not a package. ${fix}`);
}

/** The bytes of a file; undefined if it is larger than `most` bytes. */
async function readUpTo(path: string, most: number): Promise<Buffer | undefined> {
  try {
    const file = await openUnlinked(path, basename(path));
    try {
      const { size } = await file.stat();
      return size > most ? undefined : await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${path} can't be read (${(error as NodeJS.ErrnoException).code}): nothing was done.`);
  }
}

async function factsOf(folder: string, file: string): Promise<FoundObject | undefined> {
  try {
    const found = await stat(join(folder, file));
    const facts = { versionId: '', size: found.size, contentType: '' };
    if (await isLinked(folder, file)) return { ...facts, unreadable: 'link' };
    return found.isFile() ? facts : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Refusal(`${join(folder, file)} can't be read (${code}): nothing was done.`);
  }
}
