/** Bytes of an archive, and of all that is unpacked of it. */
export const LARGEST_ARCHIVE = 64 * 1024 * 1024;

const MOST_FILES = 1_000;

/** Whether it begins as a ZIP does, also an empty one. */
export const isArchive = (bytes: Buffer) => /^504b(0304|0506)/.test(bytes.toString('hex', 0, 4));

/**
 * Reads the files of a ZIP. A ZIP in it is not opened.
 * @param most bytes of a file. A larger one is not unpacked.
 * @returns the files that could be read with `bytes`. A name may be anything: never use it as a path.
 * @throws Error if it is damaged, or has too many files or bytes.
 */
export async function readArchive(archive: Uint8Array, most: number) {
  const { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } = await import('@zip.js/zip.js');
  configure({ useWebWorkers: false });
  const reader = new ZipReader(new Uint8ArrayReader(archive), { checkSignature: true, filenameValidation: 'tolerant' });
  const files: { name: string; size: number; bytes: Buffer | undefined }[] = [];
  let [entries, unpacked] = [0, 0];
  for await (const entry of reader.getEntriesGenerator()) {
    const { filename: name, uncompressedSize: size } = entry;
    entries += 1;
    unpacked += size > most ? 0 : size;
    if (entries > MOST_FILES || unpacked > LARGEST_ARCHIVE) throw new Error('too many files or bytes');
    if (entry.directory) continue;
    // The reader stops at the first byte beyond the announced size.
    const read = async () => Buffer.from(await entry.getData(new Uint8ArrayWriter()));
    files.push({ name, size, bytes: size > most ? undefined : await read().catch(() => undefined) });
  }
  return files;
}
