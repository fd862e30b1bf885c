import type { FoundObject, ObjectFacts } from '../aws/storage.ts';
import { MAX_PROBLEMS, ofFile, type Problem } from '../json/json-problems.ts';
import { inWords, type Unreadable } from '../messages/english.ts';
import { documentType } from './document-type.ts';
import type { NamedFile, OrderPackage, PackageDefaults } from './package-schema.ts';

/** The largest `order.json`: a function parses it in memory. */
export const ORDER_JSON_BYTES = 2 ** 20;
/** The largest package: `order.json` and all documents together, when the order starts. */
export const PACKAGE_BYTES = 50 * 2 ** 30;

/** Looks up a file of the package by its path there; undefined if it does not exist. */
export type FindFile = (file: string) => Promise<FoundObject | undefined>;

export type PackageSettings = PackageDefaults & {
  /** The stage's JSON Schema of the order data, if it has one. */
  orderSchema?: object | undefined;
  /** The largest document. */
  documentBytes: number;
};

export interface UncheckedPackage {
  /** The package's folder below `orders/`, which is the order's reference. */
  folder: string;
  hasValidName: boolean;
  /** `order.json`; undefined if it is larger than the stage allows. */
  bytes: Uint8Array | undefined;
  /** Why `order.json` cannot be read. Default: it can. */
  unreadable?: Unreadable | undefined;
  find: FindFile;
  /** Finds a file of the package with a similar name. Optional. */
  near?: (file: string) => string | undefined;
}

export interface CheckResult {
  problems: Problem[];
  passed?: { content: OrderPackage; documents: (OrderPackage['documents'][number] & ObjectFacts)[] };
}

/** Checks a package with all its files and returns all problems at once. The function `check-package` and the command `lint` both use it. */
export async function checkWholePackage(unchecked: UncheckedPackage, settings: PackageSettings): Promise<CheckResult> {
  const { bytes, unreadable } = unchecked;
  const problems = unchecked.hasValidName ? [] : [ofFile('folderName', {})];
  if (unreadable) return { problems: [...problems, ofFile('unreadable', { name: 'order.json', why: unreadable })] };
  if (!bytes) return { problems: [...problems, ofFile('orderTooLarge', { most: ORDER_JSON_BYTES })] };
  // Loaded here, because most invocations check no package, and the schema takes time to load.
  const { checkPackage } = await import('./package-schema.ts');
  const { content, ...checked } = checkPackage(bytes, settings);
  const files = await checkFiles({ ...unchecked, documentBytes: settings.documentBytes }, checked.files);
  problems.push(
    ...checked.problems,
    ...(await dataProblems(checked.order, settings.orderSchema)),
    ...files.problems,
    ...packageSizeProblems(bytes.length, files.facts.values()),
  );
  if (!content || problems.length > 0) return { problems: problems.slice(0, MAX_PROBLEMS) };
  const documents = content.documents.map((document, position) => ({
    ...document,
    ...(files.facts.get(position) as ObjectFacts),
  }));
  return { problems, passed: { content, documents } };
}

async function dataProblems(order: unknown, schema: object | undefined): Promise<Problem[]> {
  if (!schema || order === undefined) return [];
  return (await import('./order-data.ts')).orderDataCheck(schema)(order);
}

/**
 * Looks up every file that the package names. A missing, unreadable, empty or too large file is a problem. `facts` has the other files by position.
 * @param documentBytes how many a document may have.
 */
export async function checkFiles(
  { folder, find, near, documentBytes }: Pick<UncheckedPackage, 'folder' | 'find' | 'near'> & { documentBytes: number },
  files: NamedFile[],
): Promise<{ problems: Problem[]; facts: Map<number, ObjectFacts> }> {
  const found = await Promise.all(files.map(({ file }) => find(file)));
  const facts = new Map<number, ObjectFacts>();
  const problems = files.flatMap(({ position, file }, index): Problem[] => {
    const path = `$.documents[${position}].file`;
    const object = found[index];
    if (!object) {
      const key = `orders/${folder}/${file}`;
      return [{ path, ...inWords('noFile', { file, key, near: near?.(file) }) }];
    }
    const { versionId, size, unreadable: why } = object;
    if (why) return [{ path, ...inWords('unreadable', { name: file, why }) }];
    if (size === 0) return [{ path, ...inWords('fileEmpty', { file }) }];
    if (size > documentBytes) return [{ path, ...inWords('fileTooLarge', { file, size, most: documentBytes }) }];
    facts.set(position, { versionId, size, contentType: documentType(file, object.contentType) });
    return [];
  });
  return { problems, facts };
}

/** Checks the size of the whole package. */
function packageSizeProblems(orderJson: number, facts: Iterable<ObjectFacts>): Problem[] {
  const size = [...facts].reduce((sum, object) => sum + object.size, orderJson);
  return size > PACKAGE_BYTES ? [ofFile('packageTooLarge', { size, most: PACKAGE_BYTES })] : [];
}
