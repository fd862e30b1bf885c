import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StagedDocument } from '../../core/order/to-sign.ts';
import { refusalOfFile, writeWhole } from '../shared/local-file.ts';
import { Refusal } from '../shared/text.ts';

export type Saved = 'saved' | 'there already';

/** @throws Refusal when another file has the name, the document is gone or differs from the record, or the folder cannot be written. */
export async function saveDocument(
  folder: string,
  name: string,
  document: StagedDocument,
  openDocument: () => Promise<Readable | undefined>,
): Promise<Saved> {
  const path = join(folder, name);
  if (await isThere(path, document)) return 'there already';
  const body = await openDocument();
  if (!body) throw new Refusal('This version of it is gone from staging: it was not saved.');
  try {
    await writeWhole(path, {}, async (write) => {
      const hash = createHash('sha256');
      for await (const chunk of body as AsyncIterable<Buffer>) {
        hash.update(chunk);
        await write(chunk);
      }
      if (hash.digest('hex') === document.sha256) return;
      throw new Refusal('It does not have the SHA-256 that the record gives: it was not saved. Ask who changed it.');
    });
    return 'saved';
  } finally {
    // An open body would prevent the command from ending.
    body.destroy();
  }
}

/** Whether the file exists with the document's bytes. Throws a Refusal when anything else has the name. */
async function isThere(path: string, { size, sha256 }: StagedDocument): Promise<boolean> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw refusalOfFile(error, path);
  });
  if (!found) return false;
  if (found.isFile() && found.size === size && (await digestOfFile(path)) === sha256) return true;
  throw new Refusal(`Another file is at ${path}: it was not overwritten. Move it away, or save into another folder.`);
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw refusalOfFile(error, path);
  }
  return hash.digest('hex');
}
