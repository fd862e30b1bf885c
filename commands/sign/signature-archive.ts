import { type InWords, inWords } from '../../core/messages/english.ts';

/** Bytes of an archive, and of all that is read of it when it is unpacked. */
export const LARGEST_ARCHIVE = 64 * 1024 * 1024;

const MOST_FILES = 1_000;

/** Whether it begins as a ZIP does, also an empty one. */
export const isArchive = (bytes: Buffer) => /^504b(0304|0506)/.test(bytes.toString('hex', 0, 4));

/** A file of an archive, or why it was not read. Its name may be anything, and is never used as a path. */
export type ArchivedFile = { name: string } & ({ bytes: Buffer } | InWords);

/**
 * Reads the files of a ZIP. A file that cannot be read does not stop the others. An archive in it is not opened.
 * @param refuse what is wrong with a file of this size; such a file is not unpacked.
 * @returns why the archive is refused, if it is.
 */
export async function readArchive(
  archive: Uint8Array,
  refuse: (size: number) => InWords | undefined,
): Promise<ArchivedFile[] | InWords> {
  const { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } = await import('@zip.js/zip.js');
  configure({ useWebWorkers: false });
  const unreadable = inWords('archiveUnreadable');
  const files: ArchivedFile[] = [];
  let [entries, unpacked] = [0, 0];
  try {
    const reader = new ZipReader(new Uint8ArrayReader(archive), { filenameValidation: 'tolerant' });
    for await (const entry of reader.getEntriesGenerator()) {
      const { filename: name, uncompressedSize: size } = entry;
      const problem = refuse(size);
      entries += 1;
      unpacked += problem ? 0 : size;
      if (entries > MOST_FILES || unpacked > LARGEST_ARCHIVE)
        return inWords('archiveTooLarge', { files: MOST_FILES, mebibytes: LARGEST_ARCHIVE / 1024 ** 2 });
      if (entry.directory) continue;
      // The reader stops at the first byte beyond the announced size.
      const read = async () => Buffer.from(await entry.getData(new Uint8ArrayWriter(), { checkSignature: true }));
      const bytes = problem ? undefined : await read().catch(() => undefined);
      files.push({ name, ...(bytes ? { bytes } : (problem ?? unreadable)) });
    }
  } catch {
    return unreadable;
  }
  return files;
}
