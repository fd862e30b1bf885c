import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import { contentOf, openArchive, packer } from '../../commands/evidence/archive.ts';
import {
  ALWAYS,
  FORMAT,
  type ListedFile,
  MANIFEST,
  MANIFEST_SIGNATURE,
  type Manifest,
} from '../../commands/evidence/manifest.ts';
import { signedBytes } from '../../commands/evidence/signatures.ts';
import { verify } from '../../commands/evidence/verify.ts';
import { signature } from '../../packages/detached-signatures/test/helpers/cms.ts';

/** The files of an archive, in their order. */
export type Files = Map<string, Buffer>;

export async function filesOf(path: string): Promise<Files> {
  const archive = await openArchive(path);
  const files: Files = new Map();
  for (const [name, file] of archive.files ?? []) files.set(name, (await contentOf(file)) ?? Buffer.alloc(0));
  await archive.close();
  return files;
}

/** Packs files just as the command does, so that only their content differs. */
export async function pack(path: string, files: Files): Promise<string> {
  const parts: Uint8Array[] = [];
  const archive = packer(async (chunk) => void parts.push(Buffer.from(chunk)));
  for (const [name, bytes] of files) await archive.add(name, Readable.from([bytes]), bytes.length);
  await archive.end();
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

const digestOf = (bytes: Buffer) => ({
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

const bytesOf = (manifest: unknown) => Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);

export function withManifest(files: Files, change: (manifest: Manifest) => void): Files {
  const manifest = JSON.parse(String(files.get(MANIFEST))) as Manifest;
  change(manifest);
  return new Map(files).set(MANIFEST, bytesOf(manifest));
}

/** The files with other bytes in one of them, and a manifest that fits. */
export function withListed(files: Files, path: string, bytes: Buffer): Files {
  return withManifest(new Map(files).set(path, bytes), ({ files: listed }) => {
    Object.assign(listed.find((file) => file.path === path) ?? {}, digestOf(bytes));
  });
}

/** The files with a signature of their manifest that somebody else made. */
export async function signedByAnother(files: Files, signer = makeSigner('p-256'), more: Uint8Array[] = []) {
  const content = signedBytes(files.get(MANIFEST) ?? Buffer.alloc(0));
  const chain = more.map((certificate) => ({ certificate: Buffer.from(certificate) }));
  return new Map(files).set(MANIFEST_SIGNATURE, await signature(signer, { over: Buffer.from(content), chain }));
}

export interface SmallArchive {
  about?: Partial<Manifest['about']>;
  listed?: (files: ListedFile[]) => ListedFile[];
  left?: string[];
  more?: [name: string, bytes: Buffer][];
}

/** Packs an archive of almost nothing. Its manifest is not signed. */
export async function packSmall(path: string, archive: SmallArchive = {}): Promise<string> {
  const { about = {}, listed = (files) => files, left = [], more = [] } = archive;
  const always = ALWAYS.map((name): [string, Buffer] => [name, Buffer.from('{}')]);
  const files: Files = new Map([...always, ...more].filter(([name]) => !left.includes(name)));
  const all = {
    format: FORMAT,
    orderRef: 'x',
    stage: 'local',
    writtenAt: '2026-01-01T00:00:00.000Z',
    writtenBy: 'somebody',
    signed: false,
    ...about,
  };
  const list = listed([...files].map(([name, bytes]) => ({ path: name, what: 'x', ...digestOf(bytes) })));
  return pack(path, files.set(MANIFEST, bytesOf({ about: all, files: list })));
}

/** What the check finds, a line for each fault. */
export async function faultsOf(archive: string): Promise<string[]> {
  const { faults } = (await verify(archive, undefined)).json as {
    faults: { file?: string; fault: string; message: string }[];
  };
  return faults.map(({ file, fault, message }) => `${file ?? ''}: ${fault}. ${message}`);
}
