import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import { type Owner, type Reason, reason } from '@business-loan-orders/detached-signatures/reasons';
import type { PassedVerdict, SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import { orderTable } from '../aws/order-table.ts';
import { listObjects, openObject, readObjectUpTo } from '../aws/storage.ts';
import { ServiceUnavailable } from '../errors.ts';
import { isTimeLeft } from '../log.ts';
import { inWords } from '../messages/english.ts';
import { uploadSignatureName } from '../order/operation-names.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOperation } from '../order/order-ledger.ts';
import { keepOfDocument, type StagedDocument } from '../order/to-sign.ts';
import { intakePart, signatureKey, signaturesPrefix } from '../package/intake-key.ts';
import { gateSettings, stackSettings } from '../settings.ts';
import { timeouts } from '../timeouts.ts';
import {
  digestOf as digestOfDocument,
  openGate,
  type RefusedVerdict,
  readTrust,
  type SignatureSettings,
  sizeProblem,
} from './gate.ts';
import { withSources } from './revocation-sources.ts';
import { whatWasSigned } from './what-was-signed.ts';

export type Signing = Pick<OrderItem, 'orderRef' | 'rounds'> & {
  /** All documents of all signing rounds of the order. */
  staged: readonly StagedDocument[];
};

/** The verdict on one version of a signature in intake, with its document if it passed. */
export type JudgedSignature = { versionId: string } & ((PassedVerdict & { document: StagedDocument }) | RefusedVerdict);

/**
 * Returns the files of the order's round that have no signature in intake. If all have one, checks the signatures and
 * returns the files whose signature cannot be used.
 */
export async function missingSignatures(order: Signing): Promise<string[]> {
  const fileIds = order.rounds?.signatures?.fileIds ?? [];
  const arrived = await arrivedSignatures(order.orderRef);
  const missing = fileIds.filter((fileId) => !arrived.has(fileId));
  if (missing.length > 0) return missing;
  const judged = await judgeArrived(order, arrived);
  return fileIds.filter((fileId) => !judged.get(fileId)?.passed);
}

/**
 * Returns the verdict on every signature in intake for a document of the order's round, by `fileId`. One that is kept is not computed
 * again, so the next run continues where one without enough time ended.
 * @throws ServiceUnavailable
 */
export async function judgeArrived(
  order: Signing,
  arrived?: ReadonlyMap<string, string>,
): Promise<Map<string, JudgedSignature>> {
  const keys = arrived ?? (await arrivedSignatures(order.orderRef));
  const judged = new Map<string, JudgedSignature>();
  for (const fileId of order.rounds?.signatures?.fileIds ?? []) {
    const key = keys.get(fileId);
    const verdict = key === undefined ? undefined : await judgeSignature(order, fileId, key);
    if (verdict) judged.set(fileId, verdict);
  }
  return judged;
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
  const judged = await judgeSignature(order, fileId, signatureKey(order.orderRef, fileId), 'new');
  const key = judged ? undefined : (await arrivedSignatures(order.orderRef)).get(fileId);
  return key === undefined ? judged : judgeSignature(order, fileId, key, 'new');
}

/**
 * Checks one signature in intake: its size, whether it belongs to an earlier version of the document, and the stage's gate.
 * Returns undefined if the signature does not exist, or its document is not staged yet.
 * @param which a kept verdict has no signers, and is up to a day old: enough to wait, but not to send the signature.
 */
export async function judgeSignature(
  order: Signing,
  fileId: string,
  key: string,
  which: 'new' | 'or kept' = 'or kept',
): Promise<JudgedSignature | undefined> {
  const gate = signatureSettings();
  const stored = await readObjectUpTo(gate.largestBytes, { bucket: stackSettings.intakeBucket, key });
  const document = documentOf(order, roundOf(order), fileId);
  if (!stored) return undefined;
  const { bytes, versionId, size, unreadable: why } = stored;
  if (why)
    return { passed: false, ...inWords('unreadable', { name: key.slice(key.lastIndexOf('/') + 1), why }), versionId };
  const problem = sizeProblem(size, gate) ?? (await earlierVersionProblem(order, fileId, versionId, document));
  if (problem) return { passed: false, ...problem, versionId };
  if (!document || !bytes) return undefined;
  const [of, kept] = [verdictId(versionId), document.verdict];
  if (which === 'or kept' && kept?.of === of) return { ...JSON.parse(kept.json), bytes, document, versionId };
  if (which === 'or kept' && !isTimeLeft(timeouts.judgeSeconds))
    throw new ServiceUnavailable(`Order ${order.orderRef}: the next run continues to check the signatures.`);
  const check = await openGate(bytes, withSources(gate));
  const verdict = await check(signedDocument(order, document));
  // What has ended this one, such as a certificate's time, may have ended others.
  const others = which === 'new' && !verdict.passed ? order.staged.filter(({ verdict: has }) => has) : [];
  for (const one of others) await keepOfDocument(order.orderRef, one, { verdict: undefined });
  const json = JSON.stringify({ ...verdict, bytes: undefined, signers: [], unknownRevocation: undefined });
  const verdictKept = { of: /"(TRY_LATER|NOT_YET_VALID|REVOKED)/.test(json) ? 'nothing' : of, json };
  if (kept?.of !== verdictKept.of || kept.json !== json)
    await keepOfDocument(order.orderRef, document, { verdict: verdictKept });
  return verdict.passed ? { ...verdict, document, versionId } : { ...verdict, versionId };
}

/** Identifies the signature and the gate. Certificates expire, so the gate is another one every day. */
function verdictId(signature: string): string {
  const { signatureAuthorities, timeStampAuthorities, revocationLists, revocation } = stackSettings;
  const day = new Date().toISOString().slice(0, 10);
  const trust = [signatureAuthorities, timeStampAuthorities, revocationLists, revocation];
  return hash('sha256', JSON.stringify([signature, gateSettings, trust, day]));
}

const roundOf = ({ rounds }: Signing): number => rounds?.signatures?.number ?? 0;

const documentOf = ({ staged }: Signing, round: number, fileId: string): StagedDocument | undefined =>
  staged.find((document) => document.round === round && document.fileId === fileId);

/** Refuses a signature of an earlier version of the document, also if the gate is off or cannot check the signature. */
async function earlierVersionProblem(
  order: Signing,
  fileId: string,
  versionId: string,
  document: StagedDocument | undefined,
): Promise<Reason | undefined> {
  const problem = reason('HASH_FAILURE.other', { isEarlier: true });
  if (document?.signatureBefore === versionId) return problem;
  for (let round = roundOf(order) - 1; round > 0; round -= 1) {
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

export const signedDocument = (order: Signing, document: StagedDocument): SignedDocument => ({
  digest: (algorithm) => documentDigest(order, document, algorithm),
  open: () => openToSign(document),
  size: document.size,
  findOwner: (algorithm, digest) => findOwner(order, document, algorithm, digest),
});

const openToSign = ({ key, versionId }: StagedDocument): Promise<Readable> =>
  openObject({ bucket: stackSettings.stagingBucket, key, versionId });

/** Keeps a digest that is not in the record yet. */
export async function documentDigest(order: Signing, document: StagedDocument, algorithm: DigestAlgorithm) {
  const isNew = document[algorithm] === undefined;
  const digest = await digestOfDocument(document, algorithm, () => openToSign(document));
  if (isNew) await keepOfDocument(order.orderRef, document, { [algorithm]: digest.toString('hex') });
  return digest;
}

/** The most bytes of documents that are read to find the one with a digest that is not recorded. */
const MOST_SEARCHED = 32 * 1024 * 1024;

/** Searches all documents of all rounds, because a signature is easily uploaded for the wrong document. */
async function findOwner(
  order: Signing,
  document: StagedDocument,
  algorithm: DigestAlgorithm,
  digest: Buffer,
): Promise<Owner | undefined> {
  const text = digest.toString('hex');
  await readUntilFound(order, algorithm, text);
  const is = (digests: { [Name in DigestAlgorithm]?: string }) => digests[algorithm] === text;
  const now = order.staged.find((one) => one.round === roundOf(order) && is(one));
  if (now) return { document: now.fileId };
  const before = order.staged.filter((one) => is(one) || one.earlier?.some(is));
  if (before.some(({ fileId }) => fileId === document.fileId)) return { isEarlier: true };
  if (before[0]) return { document: before[0].fileId, isEarlier: true };
  return whatWasSigned(signedDocument(order, document), algorithm, digest, orderTable);
}

/** Reads documents without this digest in their record, those of the newest round first, and the smallest first. */
async function readUntilFound(order: Signing, algorithm: DigestAlgorithm, digest: string): Promise<void> {
  let size = 0;
  for (const document of order.staged.toSorted((one, other) => other.round - one.round || one.size - other.size)) {
    if (document[algorithm] !== undefined) continue;
    size += document.size;
    if (size > MOST_SEARCHED || (await documentDigest(order, document, algorithm)).toString('hex') === digest) return;
  }
}
