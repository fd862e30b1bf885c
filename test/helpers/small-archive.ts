import { createHash } from 'node:crypto';
import {
  FORMAT,
  MANIFEST,
  type Manifest,
  manifestOf,
  manifestText,
  ORDER,
  TIMELINE,
} from '../../commands/evidence/manifest.ts';
import { timelineLines, timelineStart } from '../../commands/evidence/record-files.ts';
import { verify } from '../../commands/evidence/verify.ts';
import type { OrderDetails } from '../../commands/stage/record.ts';
import { type Files, pack } from './tampered-archive.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const list = (name: string, bytes: Buffer) => ({ path: name, what: 'x', size: bytes.length, sha256: sha256(bytes) });

export interface SmallArchive {
  about?: Partial<Manifest['about']>;
  listed?: (files: ReturnType<typeof list>[]) => ReturnType<typeof list>[];
  left?: string[];
  timeline?: string;
  /** More files. */
  more?: [name: string, bytes: Buffer][];
}

/** Packs an archive of an order whose timeline has one line. Its manifest is not signed. */
export async function packSmall(path: string, archive: SmallArchive = {}): Promise<string> {
  const { about = {}, listed = (files) => files, left = [], timeline, more = [] } = archive;
  const line = { orderRef: 'x', item: 'event#2026-01-01T00:00:00.000Z#a', at: '2026-01-01T00:00:00.000Z', what: 'A' };
  const details = { order: { orderRef: 'x' }, timeline: [line] } as unknown as OrderDetails;
  const lines = timelineLines(details);
  const contents: [string, Buffer][] = [
    [ORDER, Buffer.from('{}')],
    [TIMELINE, Buffer.from(timeline ?? JSON.stringify(lines))],
    ...more,
  ];
  const all = {
    format: FORMAT,
    orderRef: 'x',
    stage: 'local',
    writtenAt: '2026-01-01T00:00:00.000Z',
    writtenBy: 'somebody',
    signed: false,
    timeline: { lines: 1, head: lines.at(-1)?.chain ?? timelineStart('x') },
    ...about,
  } as Manifest['about'];
  const kept = contents.filter(([name]) => !left.includes(name));
  const manifest = manifestOf(all, listed(kept.map(([name, bytes]) => list(name, bytes))));
  const files: Files = new Map([...kept, [MANIFEST, Buffer.from(manifestText(manifest))]]);
  return pack(path, files);
}

/** What the check finds, a line for each fault. */
export async function faultsOf(archive: string): Promise<string[]> {
  const { json } = await verify(archive, undefined);
  return (json as { faults: { file?: string; fault: string; message: string }[] }).faults.map(
    ({ file, fault, message }) => `${file ?? ''}: ${fault}. ${message}`,
  );
}
