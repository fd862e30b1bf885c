import type { Coded } from '../core/messages/say.ts';
import type { StagedDocument } from '../core/order/to-sign.ts';
import { type Saved, saveDocument } from './documents/save-document.ts';
import { type AddCommand, folder, ofOrder, withPlace } from './shared/arguments.ts';
import type { Buckets } from './shared/buckets.ts';
import { connect } from './shared/connection.ts';
import { commandFailure } from './shared/failure.ts';
import { fileNames } from './shared/file-names.ts';
import { makeFolder } from './shared/local-file.ts';
import type { OrderDetails } from './shared/order-details.ts';
import { type PlaceOptions, place as placeOf } from './shared/place.ts';
import {
  type CommandResult,
  columns,
  formatBytes,
  formatCounts,
  plain,
  REFUSED,
  Refusal,
  some,
  truncate,
} from './shared/text.ts';

export const addDocuments: AddCommand = (program, perform) =>
  ofOrder(program, 'documents', 'list or save the documents of an order that are to be signed')
    .option('--download <folder>', "save them to this folder under the service's names; nothing is overwritten", folder)
    .option('--all', 'every document that is staged, also of earlier rounds')
    .action(withPlace(perform, documents));

export type NamedDocument = StagedDocument & { file: string };

export async function documents(
  place: PlaceOptions,
  orderRef: string,
  { all, download }: { all?: true; download?: string },
): Promise<CommandResult> {
  const connection = await connect(place);
  const details = await connection.record.details(orderRef);
  const staged = named(details);
  const left = notStaged(details);
  if (staged.length === 0 && left.length === 0) throw noDocuments(details);
  const rounds = left.length > 0 ? [details.order.rounds?.signatures?.number ?? 0] : staged.map(({ round }) => round);
  const newest = Math.max(...rounds);
  const meant = all ? staged : staged.filter(({ round }) => round === newest);
  const isWaiting = details.order.status === 'WAITING_FOR_SIGNATURE';
  const answer =
    download === undefined
      ? listed(orderRef, meant, isWaiting ? await refusedSignatures(await connection.buckets(), orderRef) : [])
      : await save(await connection.buckets(), placeOf(place), { orderRef, meant, folder: download });
  return left.length === 0 ? answer : incomplete(answer, left);
}

/** The documents of the newest round that are not staged yet, by `fileId`. */
export function notStaged({ order, toSign }: Pick<OrderDetails, 'order' | 'toSign'>): string[] {
  const { status, rounds } = order;
  const round = rounds?.signatures;
  // After this status, documents that were not staged are no longer needed.
  if (status !== 'WAITING_FOR_SIGNATURE' || !round) return [];
  const staged = toSign.filter((document) => document.round === round.number).map(({ fileId }) => fileId);
  return round.fileIds.filter((fileId) => !staged.includes(fileId));
}

/** An incomplete round must not look like a complete one. */
function incomplete(answer: CommandResult, left: string[]): CommandResult {
  const line = `Not in staging yet: ${some(left.length, 'document')} (${truncate(left.join(', '), 200)}). Repeat the command when the order waits for signatures.`;
  const json = { ...(answer.json as object), notStaged: left };
  return { ...answer, lines: [...answer.lines, plain(line)], json, exitCode: REFUSED };
}

/** The documents of every round, each once. Documents of later rounds never change earlier names. */
export function named({ toSign }: Pick<OrderDetails, 'toSign'>): NamedDocument[] {
  const once = new Map<string, StagedDocument>();
  for (const document of toSign) once.set(`${document.fileId} ${document.sha256}`, document);
  const files = fileNames([...once.values()]);
  return [...once.values()].map((document, position) => ({ ...document, file: files[position] ?? '' }));
}

function noDocuments({ order: { orderRef, status, removal } }: OrderDetails): Refusal {
  return new Refusal(
    removal
      ? `The files of order ${orderRef} were removed: there are no documents.`
      : `Order ${orderRef} is ${status} and has no documents to sign in staging. They are staged when it is WAITING_FOR_SIGNATURE.`,
  );
}

function listed(orderRef: string, meant: NamedDocument[], refused: RefusedSignature[]): CommandResult {
  const row = (of: NamedDocument) => [`${of.round}`, of.file, formatBytes(of.size), of.contentType, of.fileId];
  const problemOf = ({ fileId }: NamedDocument) => refused.find((one) => one.fileId === fileId)?.problem;
  const rejections = meant.flatMap((document) => {
    const problem = problemOf(document);
    return problem === undefined ? [] : [plain(`The signature of ${document.file} was rejected. ${problem}`)];
  });
  return {
    lines: [...columns([['ROUND', 'FILE', 'SIZE', 'TYPE', 'FILE ID'], ...meant.map(row)]), ...rejections],
    json: { orderRef, documents: meant.map((document) => ({ ...summary(document), rejected: problemOf(document) })) },
  };
}

function summary({ round, fileId, name, file, size, contentType, sha256, key, versionId }: NamedDocument) {
  return { round, fileId, name, file, size, contentType, sha256, key, versionId };
}

/** Saves one document after the other. A failure does not stop the others. */
async function save(
  buckets: Buckets,
  where: string,
  { orderRef, meant, folder }: { orderRef: string; meant: NamedDocument[]; folder: string },
): Promise<CommandResult> {
  await makeFolder(folder);
  const outcomes: { document: NamedDocument; outcome: Saved | 'not saved'; problem?: string }[] = [];
  for (const document of meant) {
    const openDocument = () => buckets.openStaged(document.key, document.versionId);
    try {
      outcomes.push({ document, outcome: await saveDocument(folder, document.file, document, openDocument) });
    } catch (error) {
      outcomes.push({ document, outcome: 'not saved', problem: commandFailure(error, where).sentence });
    }
  }
  const count = (kind: Saved | 'not saved') => outcomes.filter(({ outcome }) => outcome === kind).length;
  const failed = count('not saved');
  const counted = formatCounts({ saved: count('saved'), 'there already': count('there already'), 'not saved': failed });
  const rows = outcomes.map(({ document, outcome, problem = formatBytes(document.size) }) => [
    document.file,
    outcome,
    problem,
  ]);
  return {
    lines: [
      ...columns(rows),
      `${some(meant.length, 'document')} of order ${orderRef} in ${folder}: ${counted}.`,
      ...(failed > 0 ? ['Repeating the command is safe: a document that is there is not saved twice.'] : []),
    ],
    json: { orderRef, folder, documents: outcomes.map(({ document, ...rest }) => ({ ...summary(document), ...rest })) },
    exitCode: failed > 0 ? REFUSED : 0,
  };
}

export interface RefusedSignature extends Coded {
  fileId: string;
  problem: string;
}

export async function refusedSignatures(buckets: Buckets, orderRef: string): Promise<RefusedSignature[]> {
  const names = await buckets.stagedNames(orderRef, 'signatures-rejected/');
  const pages = await Promise.all(names.map((name) => buckets.staged<RefusedSignature>(orderRef, name)));
  return pages.filter((page) => page !== undefined);
}
