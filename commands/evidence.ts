import { lstat } from 'node:fs/promises';
import { type AddCommand, ofOrder, withPlace } from './shared/arguments.ts';
import { connect } from './shared/connection.ts';
import { type WriteOptions, writeWhole } from './shared/local-file.ts';
import type { PlaceOptions } from './shared/place.ts';
import { NO_ARCHIVE } from './shared/refusals.ts';
import { type CommandResult, formatBytes, Refusal, some } from './shared/text.ts';

/** With `unsigned`, the manifest is not signed, although the stage has a key. */
type EvidenceOptions = Pick<WriteOptions, 'isServer' | 'shown'> & { out?: string; unsigned?: true };

export const addEvidence: AddCommand = (program, perform) =>
  ofOrder(program, 'evidence', 'write everything that is known of an order into one archive')
    .option('--out <file>', 'the archive to write; by default <orderRef>.evidence.zip in this folder')
    .option('--unsigned', "do not sign the manifest with the stage's key for evidence")
    .action(withPlace(perform, evidence));

/** Writes everything that is known about an order into one archive. */
export async function evidence(
  place: PlaceOptions,
  orderRef: string,
  options: EvidenceOptions,
): Promise<CommandResult> {
  const path = options.out ?? `${orderRef}.evidence.zip`;
  await refuseTaken(path);
  const { CONTENTS, MANIFEST, MANIFEST_SIGNATURE, packer } = await import('./evidence/archive.ts');
  const { addFiles, jsonFile } = await import('./evidence/files.ts');
  const { manifestSigner } = await import('./evidence/signatures.ts');
  const connection = await connect(place);
  const details = await connection.record.details(orderRef);
  const sign = options.unsigned ? undefined : await manifestSigner(connection);
  const hasKey = connection.outputs('EvidenceKey', '') !== '';
  const unsignedBecause = hasKey ? 'whoever wrote it asked for that' : 'the stage has no key for evidence';
  const about = {
    orderRef,
    stage: place.stage,
    writtenAt: new Date().toISOString(),
    /** The access key. CloudTrail knows its owner. */
    writtenBy: await connection.by(),
    signed: sign !== undefined,
    ...(!sign && { unsignedBecause }),
  };
  const written = await writeWhole(path, { ...options, nothing: NO_ARCHIVE }, async (write) => {
    const archive = packer(write);
    const files = await addFiles(connection, details, archive);
    await archive.addBytes(CONTENTS, jsonFile({ about, files }));
    const manifest = archive.manifest();
    const { sha256: manifestSha256 } = await archive.addBytes(MANIFEST, manifest);
    if (sign) await archive.addBytes(MANIFEST_SIGNATURE, await sign(manifest));
    return { files: files.length, manifestSha256, ...(await archive.end()) };
  });
  const { status } = details.order;
  return {
    lines: [
      `Wrote ${path}: ${some(written.files, 'file')} of order ${orderRef}, which is ${status}; ${formatBytes(written.size)}.`,
      sign
        ? "Its manifest is signed with the stage's key for evidence."
        : `Its manifest has no signature: ${unsignedBecause}. The SHA-256 proves it: give that to somebody else to keep.`,
      `SHA-256 of the archive: ${written.sha256}`,
      'How to check it is in docs/evidence.md, and at the end of index.html in the archive.',
    ],
    json: { status, archive: path, ...about, ...written },
  };
}

/** @throws Refusal when the name is already in use. */
async function refuseTaken(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  const kind = found.isDirectory() ? 'a folder' : 'there already';
  throw new Refusal(`${path} is ${kind}: it was not overwritten, and ${NO_ARCHIVE}. Give another file with --out.`);
}
