import type { PassedVerdict, SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import { type NamedDocument, named } from '../../commands/documents.ts';
import { readToSignPage, SIGNATURE_TYPE, signatureKeyOf } from '../../commands/sign/sign-order.ts';
import { type InWords, inWords } from '../../core/messages/english.ts';
import {
  digestOf,
  openGate,
  type RefusedVerdict,
  readTrust,
  recordedDigest,
  type SignatureSettings,
  sizeProblem,
  told,
} from '../../core/signing/gate.ts';
import { whatWasSigned } from '../../core/signing/what-was-signed.ts';
import { knownStage } from '../../infra/stages.ts';
import type { SignatureVerdict } from '../api.ts';
import type { ConsoleContext } from './context.ts';
import { openDocument } from './document-stream.ts';

const NOT_ASKED: RefusedVerdict = { passed: false, ...inWords('notAsked') };

/**
 * Checks a signature like the function `receive-upload`, with the settings of the stage, and finds the document of the present round that
 * it signs. With `isHandedIn` a signature that passes is uploaded.
 * @throws Refusal when the order has nothing to sign.
 */
export async function judgeDropped(
  desk: ConsoleContext,
  orderRef: string,
  { name, bytes, isHandedIn }: { name: string; bytes: Buffer; isHandedIn: boolean },
): Promise<SignatureVerdict> {
  const { connection, buckets } = desk;
  const page = await readToSignPage(buckets, orderRef);
  const documents = named(await connection.record.details(orderRef)).filter(({ round }) => round === page.round);
  const { gate, note: unknown } = gateOf(desk);
  const { document, verdict } = await bestFit(desk, byName(documents, name), bytes, gate);
  const staged = page.documents.find(({ fileId }) => fileId === document?.fileId);
  if (!verdict.passed || !document || !staged) {
    const of = document && { fileId: document.fileId, file: document.file };
    return { name, passed: false, ...told(verdict.passed ? NOT_ASKED : verdict), ...of };
  }
  if (isHandedIn) await buckets.putIntake(signatureKeyOf(staged, buckets), verdict.bytes, SIGNATURE_TYPE);
  const note = verdict.unchecked ?? unknown;
  return { name, passed: true, fileId: document.fileId, file: document.file, ...(note !== undefined && { note }) };
}

/** The gate of the stage. Its certificates are in the file of the stage. Without that file, this check is weaker than the stage's own. */
function gateOf({ connection, place }: ConsoleContext): { gate: SignatureSettings; note?: InWords } {
  const {
    gate,
    unchecked,
    signers = [],
    largestSignatureBytes: largestBytes,
    ...has
  } = connection.settings().signatures;
  const { caBundle, crl, timeStampAuthorities } = knownStage(place.stage)?.signing ?? {};
  const trust = readTrust({ authorities: caBundle, timeStampAuthorities, revocationLists: crl });
  const settings = { gate, unchecked, signers, largestBytes, ...trust };
  const isWhole = (caBundle || !has.hasAuthorities) && (crl || !has.hasRevocationLists);
  if (isWhole || gate === 'off') return { gate: settings };
  return {
    gate: { ...settings, gate: 'check' },
    note: inWords('issuerLater'),
  };
}

/** The document whose name the signature has comes first. */
function byName(documents: NamedDocument[], name: string): NamedDocument[] {
  const own = name.replace(/\.(sig|p7s|p7m|sgn)$/i, '');
  const isNamed = ({ fileId, file }: NamedDocument) =>
    [fileId, encodeURIComponent(fileId), file, file.replace(/\.[^.]*$/, '')].includes(own);
  return [...documents.filter(isNamed), ...documents.filter((document) => !isNamed(document))];
}

interface Fit {
  document?: NamedDocument;
  verdict: PassedVerdict | RefusedVerdict;
}

/** A signature's digest shows which document it signs. If it fits none, the verdict on the first document says why. */
async function bestFit(
  desk: ConsoleContext,
  documents: NamedDocument[],
  bytes: Buffer,
  gate: SignatureSettings,
): Promise<Fit> {
  const problem = sizeProblem(bytes.length, gate);
  if (problem) return { verdict: { passed: false, ...problem } };
  const check = await openGate(bytes, gate);
  let refused: Fit = { verdict: NOT_ASKED };
  for (const document of documents) {
    const verdict = await check(signedDocument(desk, documents, document));
    if (verdict.passed) return { document, verdict };
    if (!refused.document) refused = { document, verdict };
  }
  return refused;
}

function signedDocument({ buckets, connection }: ConsoleContext, all: NamedDocument[], document: NamedDocument) {
  const open = () => openDocument(buckets, document);
  const signed: SignedDocument = {
    digest: (algorithm) => digestOf(document, algorithm, open),
    open,
    size: document.size,
    findOwner: async (algorithm, digest) => {
      // Every document was already tried, also those without a recorded digest.
      const owner = all.find((one) => recordedDigest(one, algorithm) === digest.toString('hex'));
      if (owner || document !== all[0]) return owner && { document: owner.file };
      return whatWasSigned(signed, algorithm, digest, connection.record.table);
    },
  };
  return signed;
}
