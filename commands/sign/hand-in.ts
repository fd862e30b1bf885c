import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { connect } from '../shared/connection.ts';
import { commandFailure } from '../shared/failure.ts';
import { readLocalFile } from '../shared/local-file.ts';
import { type PlaceOptions, place as placeOf } from '../shared/place.ts';
import { type CommandResult, columns, formatCounts, REFUSED, Refusal } from '../shared/text.ts';
import { signerWords } from '../shared/views.ts';
import { documentsAsked, openJudge, type SignatureVerdict } from './judge-file.ts';
import { LARGEST_ARCHIVE } from './signature-archive.ts';

/** Uploads the signatures in these files, and in ZIPs among them. A file that is refused does not stop the others. */
export async function handIn(place: PlaceOptions, orderRef: string, paths: string[]): Promise<CommandResult> {
  const connection = await connect(place);
  const documents = documentsAsked(await connection.record.details(orderRef));
  const judge = await openJudge(connection, documents, orderRef);
  const files: SignatureVerdict[] = [];
  for (const path of paths) {
    const work = async () => judge({ name: basename(path), bytes: await readGiven(path) }, () => true);
    const refused = (error: unknown) => ({ passed: false, problem: commandFailure(error, placeOf(place)).sentence });
    files.push(...(await work().catch((error: unknown) => [{ name: path, ...refused(error) }])));
  }
  const counts = { uploaded: 0, refused: 0, 'left out': 0 };
  const rows = files.map(({ name, passed, code, file, problem = '', note, signers = [] }) => {
    const said = passed ? 'uploaded' : code === 'leftOut' ? 'left out' : 'refused';
    counts[said] += 1;
    const fits = [`for ${file}`, ...signers.map(signerWords)].join(', ');
    return [name, said, passed ? `${fits}. ${note?.problem ?? ''}` : problem];
  });
  return {
    lines: [...columns(rows), `Order ${orderRef}: ${formatCounts(counts)}.`],
    json: { orderRef, files },
    exitCode: counts.refused > 0 || counts.uploaded === 0 ? REFUSED : 0,
  };
}

/** @throws Refusal if it is a link, a folder or a device, or larger than any ZIP may be. */
async function readGiven(path: string): Promise<Buffer> {
  const found = await lstat(path).catch(() => undefined);
  if (found && (!found.isFile() || found.size > LARGEST_ARCHIVE))
    throw new Refusal(`${path} is a link, a folder, or larger than 64 MiB: it was not read.`);
  return readLocalFile(path);
}
