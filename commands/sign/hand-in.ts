import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { connect } from '../shared/connection.ts';
import { commandFailure } from '../shared/failure.ts';
import { readLocalFile } from '../shared/local-file.ts';
import { type PlaceOptions, place as placeOf } from '../shared/place.ts';
import { type CommandResult, columns, formatCounts, plain, REFUSED, Refusal, some } from '../shared/text.ts';
import { openJudge, type SignatureVerdict } from './judge-file.ts';
import { LARGEST_ARCHIVE } from './signature-archive.ts';

/** Uploads the signatures in these files, and in ZIPs among them. A file that is refused does not stop the others. */
export async function handIn(place: PlaceOptions, orderRef: string, paths: string[]): Promise<CommandResult> {
  const judge = await openJudge(await connect(place), orderRef, true);
  const files: SignatureVerdict[] = [];
  for (const path of paths) {
    const work = async () => judge({ name: basename(path), bytes: await readGiven(path) });
    const refused = (error: unknown) => ({ passed: false, problem: commandFailure(error, placeOf(place)).sentence });
    files.push({ ...(await work().catch(refused)), name: path });
  }
  const verdicts = files.flatMap((one) => (one.inside?.length ? one.inside : one));
  const refused = verdicts.filter(({ passed }) => !passed).length;
  const counted = formatCounts({ uploaded: verdicts.length - refused, refused });
  return {
    lines: [
      ...columns(verdicts.map(row)),
      ...files.flatMap(({ name, leftOut = [] }) =>
        leftOut.length > 0
          ? [plain(`Left out of ${name}, because they are not signatures: ${leftOut.join(', ')}.`)]
          : [],
      ),
      `${some(verdicts.length, 'signature')} of order ${orderRef}: ${counted}.`,
    ],
    json: { orderRef, files },
    exitCode: refused > 0 ? REFUSED : 0,
  };
}

function row({ name, passed, file, problem = '', note }: SignatureVerdict): string[] {
  const said = passed ? `for ${file}${note ? `. ${note.problem}` : ''}` : problem;
  return [name, passed ? 'uploaded' : 'refused', said].map(plain);
}

/** @throws Refusal if it is a link, a folder or a device, or larger than any ZIP may be. */
async function readGiven(path: string): Promise<Buffer> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isFile()) throw new Refusal(`${path} is a link or a folder, not a file: it was not read.`);
  if (found && found.size > LARGEST_ARCHIVE) throw new Refusal(`${path} has more than 64 MiB: it was not read.`);
  return readLocalFile(path);
}
