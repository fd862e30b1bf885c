import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { ZipWriter } from '@zip.js/zip.js';
import { openArchive } from '../../commands/evidence/archive-reader.ts';
import { ArchiveWriter } from '../../commands/evidence/archive-writer.ts';
import { contentOf } from '../../commands/evidence/file-faults.ts';
import { type Manifest, manifestOf, manifestText } from '../../commands/evidence/manifest.ts';

/** The files of an archive, in their order. */
export type Files = Map<string, Buffer>;

export async function filesOf(path: string): Promise<Files> {
  const archive = await openArchive(path);
  const files: Files = new Map();
  for (const [name, file] of archive.files) files.set(name, await contentOf(file));
  await archive.close();
  return files;
}

/** Packs files just as the command does, so that only their content differs. */
export async function pack(path: string, files: Files): Promise<string> {
  rmSync(path, { force: true });
  const file = await open(path, 'wx+');
  try {
    const archive = new ArchiveWriter(file, path);
    for (const [name, bytes] of files) await archive.addBytes(name, bytes);
    await archive.end();
    return path;
  } finally {
    await file.close();
  }
}

/** Packs files with another program: compressed. */
export async function packCompressed(path: string, files: Files): Promise<string> {
  const parts: Uint8Array[] = [];
  const zip = new ZipWriter(new WritableStream<Uint8Array>({ write: (chunk) => void parts.push(chunk) }), {
    useWebWorkers: false,
    level: 9,
  });
  for (const [name, bytes] of files) await zip.add(name, new Blob([new Uint8Array(bytes)]).stream());
  await zip.close();
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

/** Changes the bytes of an archive. */
export function edit(from: string, to: string, change: (bytes: Buffer) => Buffer): string {
  writeFileSync(to, change(readFileSync(from)));
  return to;
}

/** Replaces a text of the archive by another one of the same length, everywhere. */
export function replaced(bytes: Buffer, text: string, by: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(text, by), 'latin1');
}

/** The manifest after a change of what it says, with hashes that fit. */
export function rechained(files: Files, change: (manifest: Manifest) => void): Files {
  const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest;
  change(manifest);
  const listed = manifest.files.map(({ chain: _chain, ...file }) => file);
  return new Map(files).set('manifest.json', Buffer.from(manifestText(manifestOf(manifest.about, listed))));
}
