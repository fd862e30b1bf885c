import type { Readable } from 'node:stream';
import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import type { Owner } from '@business-loan-orders/detached-signatures/reasons';
import type { PassedVerdict, SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import { listObjects, openObject, readObjectUpTo } from '../aws/storage.ts';
import { type InWords, inWords } from '../messages/english.ts';
import { uploadSignatureName } from '../order/operation-names.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOperation } from '../order/order-ledger.ts';
import type { StagedDocument, ToSign } from '../order/to-sign.ts';
import { intakePart, signatureKey, signaturesPrefix } from '../package/intake-key.ts';
import { gateSettings, stackSettings } from '../settings.ts';
import {
  digestOf as digestOfDocument,
  openGate,
  type RefusedVerdict,
  readTrust,
  recordedDigest,
  type SignatureSettings,
  sizeProblem,
} from './gate.ts';
import { withSources } from './revocation-sources.ts';

export type Signing = Pick<OrderItem, 'orderRef' | 'rounds'> & {
  /** All documents of all signing rounds of the order. */
  staged: readonly StagedDocument[];
};

/** The verdict on one version of a signature in intake, with its document if it passed. */
export type JudgedSignature = { versionId: string } & ((PassedVerdict & { document: ToSign }) | RefusedVerdict);

/**
 * Returns the files of the order's round that have no signature in intake. If all have one, checks the signatures and
 * returns the files whose signature cannot be used.
 * @param verdicts of the same round that the caller has just obtained. These signatures are not checked again.
 */
export async function missingSignatures(
  order: Signing,
  verdicts: ReadonlyMap<string, JudgedSignature> = new Map(),
): Promise<string[]> {
  const fileIds = order.rounds?.signatures?.fileIds ?? [];
  const others = fileIds.filter((fileId) => !verdicts.has(fileId));
  const arrived = others.length > 0 ? await arrivedSignatures(order.orderRef) : new Map<string, string>();
  const missing = others.filter((fileId) => !arrived.has(fileId));
  if (missing.length > 0) return missing;
  const judged = new Map([...verdicts, ...(await judge(order, others, arrived))]);
  return fileIds.filter((fileId) => !judged.get(fileId)?.passed);
}

/** Checks every signature in intake for a document of the order's round. Returns the verdicts by `fileId`. */
export async function judgeArrived(order: Signing): Promise<Map<string, JudgedSignature>> {
  const arrived = await arrivedSignatures(order.orderRef);
  return judge(order, order.rounds?.signatures?.fileIds ?? [], arrived);
}

async function judge(
  order: Signing,
  fileIds: readonly string[],
  keys: ReadonlyMap<string, string>,
): Promise<Map<string, JudgedSignature>> {
  const awaited = fileIds.filter((fileId) => keys.has(fileId));
  const judged = await Promise.all(
    awaited.map(async (fileId) => [fileId, await judgeSignature(order, fileId, keys.get(fileId) ?? '')] as const),
  );
  return new Map(judged.flatMap(([fileId, verdict]) => (verdict ? [[fileId, verdict]] : [])));
}

/**
 * Keys of the signatures in intake, by `fileId`. A signer may percent-encode a name in another way than `to-sign.json`. So
 * keys are decoded, and the key of `to-sign.json` wins if there are several.
 */
async function arrivedSignatures(orderRef: string): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for (const { key } of await listObjects(stackSettings.intakeBucket, signaturesPrefix(orderRef))) {
    const part = intakePart(key);
    if (part?.part !== 'signature') continue;
    if (!keys.has(part.fileId) || key === signatureKey(orderRef, part.fileId)) keys.set(part.fileId, key);
  }
  return keys;
}

/** Checks the signature of one document. Looks for it under the name of `to-sign.json` first. */
export async function judgeSignatureOf(order: Signing, fileId: string): Promise<JudgedSignature | undefined> {
  const judged = await judgeSignature(order, fileId, signatureKey(order.orderRef, fileId));
  if (judged) return judged;
  const key = (await arrivedSignatures(order.orderRef)).get(fileId);
  return key === undefined ? undefined : judgeSignature(order, fileId, key);
}

/**
 * Checks one signature in intake: its size, whether it belongs to an earlier version of the document, and the stage's gate.
 * Returns undefined if the signature does not exist, or its document is not staged yet.
 */
export async function judgeSignature(
  order: Signing,
  fileId: string,
  key: string,
): Promise<JudgedSignature | undefined> {
  const gate = signatureSettings();
  const stored = await readObjectUpTo(gate.largestBytes, { bucket: stackSettings.intakeBucket, key });
  const document = documentOf(order, order.rounds?.signatures?.number ?? 0, fileId);
  if (!stored) return undefined;
  const { bytes, versionId, size, unreadable: why } = stored;
  if (why)
    return { passed: false, ...inWords('unreadable', { name: key.slice(key.lastIndexOf('/') + 1), why }), versionId };
  const problem = sizeProblem(size, gate) ?? (await earlierVersionProblem(order, fileId, versionId, document));
  if (problem) return { passed: false, ...problem, versionId };
  if (!document || !bytes) return undefined;
  const check = await openGate(bytes, withSources(gate));
  const verdict = await check(signedDocument(order, document));
  return verdict.passed ? { ...verdict, document, versionId } : { ...verdict, versionId };
}

const documentOf = ({ staged }: Signing, round: number, fileId: string): ToSign | undefined =>
  staged.find((document) => document.round === round && document.fileId === fileId);

/** Refuses a signature of an earlier version of the document, also if the gate is off or cannot check the signature. */
async function earlierVersionProblem(
  order: Signing,
  fileId: string,
  versionId: string,
  document: ToSign | undefined,
): Promise<InWords | undefined> {
  const problem = inWords('signatureOfEarlier');
  if (document?.signatureBefore === versionId) return problem;
  for (let round = (order.rounds?.signatures?.number ?? 1) - 1; round > 0; round -= 1) {
    if (!(await findOperation(order.orderRef, uploadSignatureName(round, fileId, versionId)))) continue;
    const before = documentOf(order, round, fileId);
    return before?.sha256 === document?.sha256 ? undefined : problem;
  }
  return undefined;
}

let settings: SignatureSettings | undefined;

/** Reads the settings from the environment on first use, once per Lambda environment. */
export function signatureSettings(): SignatureSettings {
  const { signatureAuthorities: authorities, timeStampAuthorities, revocationLists } = stackSettings;
  settings ??= {
    gate: gateSettings.level as SignatureSettings['gate'],
    unchecked: gateSettings.unchecked,
    signers: gateSettings.signers,
    largestBytes: gateSettings.largestSignatureBytes,
    ...readTrust({ authorities, timeStampAuthorities, revocationLists }),
  };
  return settings;
}

export const signedDocument = (order: Signing, document: ToSign): SignedDocument => ({
  digest: (algorithm) => documentDigest(document, algorithm),
  open: () => openToSign(document),
  size: document.size,
  findOwner: (algorithm, digest) => findOwner(order, document.fileId, algorithm, digest),
});

const openToSign = ({ key, versionId }: ToSign): Promise<Readable> =>
  openObject({ bucket: stackSettings.stagingBucket, key, versionId });

export const documentDigest = (document: ToSign, algorithm: DigestAlgorithm) =>
  digestOfDocument(document, algorithm, () => openToSign(document));

/** The most bytes of documents that are read to find the one with a digest that is not recorded. */
const MOST_SEARCHED = 32 * 1024 * 1024;

/** Searches all documents of all rounds, because a signature is easily uploaded for the wrong document. */
async function findOwner(
  { rounds, staged }: Signing,
  fileId: string,
  algorithm: DigestAlgorithm,
  digest: Buffer,
): Promise<Owner | undefined> {
  const round = rounds?.signatures?.number ?? 0;
  const text = digest.toString('hex');
  const read = await findByReading(staged, algorithm, digest);
  const is = (digests: ToSign | NonNullable<ToSign['earlier']>[number]) =>
    digests === read || recordedDigest(digests, algorithm) === text;
  const now = staged.find((document) => document.round === round && is(document));
  if (now) return { document: now.fileId };
  const before = staged.filter((document) => is(document) || document.earlier?.some(is));
  if (before.some((document) => document.fileId === fileId)) return { isEarlier: true };
  const other = before[0];
  return other && { document: other.fileId, isEarlier: true };
}

/** Reads documents without this digest in their record, those of the newest round first, and the smallest first. */
async function findByReading(
  staged: readonly StagedDocument[],
  algorithm: DigestAlgorithm,
  digest: Buffer,
): Promise<StagedDocument | undefined> {
  let size = 0;
  for (const document of staged.toSorted((one, other) => other.round - one.round || one.size - other.size)) {
    if (recordedDigest(document, algorithm) !== undefined) continue;
    size += document.size;
    if (size > MOST_SEARCHED) return undefined;
    if (digest.equals(await documentDigest(document, algorithm))) return document;
  }
  return undefined;
}
