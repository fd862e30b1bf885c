import { readCertificates } from '@business-loan-orders/detached-signatures/certificate-path';
import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import { digestOf } from '@business-loan-orders/detached-signatures/digest';
import { readRevocationLists } from '@business-loan-orders/detached-signatures/revocation';
import {
  openSignature,
  type SignedDocument,
  type Verdict,
} from '@business-loan-orders/detached-signatures/signature-gate';
import { type NamedDocument, named } from '../../commands/documents.ts';
import { SIGNATURE_TYPE } from '../../commands/signing/sign-order.ts';
import { readToSignPage, signatureKeyOf } from '../../commands/signing/to-sign-page.ts';
import { allowed } from '../../core/signing/allowed-signers.ts';
import type { DeployedSettings } from '../../infra/deployed-settings.ts';
import { knownStage } from '../../infra/stages.ts';
import type { SignatureVerdict } from '../api.ts';
import type { Desk } from './desk.ts';
import { openDocument } from './document-stream.ts';

/**
 * Judges a signature as the function `receive-upload` does, with the settings of the stage, and finds out which document of the present round
 * it signs. With `isHandedIn` a signature that passes is uploaded.
 * @throws Refusal when the order has nothing to sign.
 */
export async function judgeDropped(
  desk: Desk,
  orderRef: string,
  { name, bytes, isHandedIn }: { name: string; bytes: Buffer; isHandedIn: boolean },
): Promise<SignatureVerdict> {
  const { connection, buckets } = desk;
  const page = await readToSignPage(buckets, orderRef);
  const documents = named(await connection.record.details(orderRef)).filter(({ round }) => round === page.round);
  const gate = gateOf(desk);
  const { document, verdict } = await bestFit(desk, byName(documents, name), bytes, gate);
  const staged = page.documents.find(({ fileId }) => fileId === document?.fileId);
  if (!verdict.passed || !document || !staged) {
    const problem = verdict.passed ? 'The order does not ask for it.' : verdict.problem;
    return { name, passed: false, problem, ...(document && { fileId: document.fileId, file: document.file }) };
  }
  if (isHandedIn) await buckets.putIntake(signatureKeyOf(staged, buckets), verdict.bytes, SIGNATURE_TYPE);
  const note = verdict.unchecked ?? gate.note;
  return { name, passed: true, fileId: document.fileId, file: document.file, ...(note !== undefined && { note }) };
}

type Gate = DeployedSettings['signatures'] &
  Partial<Record<'caBundle' | 'crl' | 'timeStampAuthorities' | 'note', string>>;

/** The gate of the stage. Its certificates are in the file of the stage: without it, the stage checks more than we can. */
function gateOf({ connection, place }: Desk): Gate {
  const { signatures } = connection.settings();
  const { caBundle, crl, timeStampAuthorities } = knownStage(place.stage)?.signing ?? {};
  const own = {
    ...(caBundle && { caBundle }),
    ...(crl && { crl }),
    ...(timeStampAuthorities && { timeStampAuthorities }),
  };
  const isWhole = (caBundle || !signatures.hasAuthorities) && (crl || !signatures.hasRevocationLists);
  if (isWhole || signatures.gate === 'off') return { ...signatures, ...own };
  return { ...signatures, gate: 'check', ...own, note: "The stage still checks who issued the signer's certificate." };
}

/** The document whose name the signature has comes first. */
function byName(documents: NamedDocument[], name: string): NamedDocument[] {
  const own = name.replace(/\.(sig|p7s|p7m|sgn)$/i, '');
  const isNamed = ({ fileId, file }: NamedDocument) =>
    [fileId, encodeURIComponent(fileId), file, file.replace(/\.[^.]*$/, '')].includes(own);
  return [...documents.filter(isNamed), ...documents.filter((document) => !isNamed(document))];
}

/** The record has no Streebog. */
const recordedDigest = (document: Partial<Record<DigestAlgorithm, string>>, algorithm: DigestAlgorithm) =>
  document[algorithm];

interface Fit {
  document?: NamedDocument;
  verdict: Verdict;
}

/** A signature's digest shows which document it signs. If it fits none, the verdict on the first document says why. */
async function bestFit(
  desk: Desk,
  documents: NamedDocument[],
  bytes: Buffer,
  { gate, caBundle, crl, timeStampAuthorities, unchecked, signers = [], largestSignatureBytes }: Gate,
): Promise<Fit> {
  if (bytes.length === 0) return { verdict: { passed: false, problem: 'It is empty.' } };
  if (bytes.length > largestSignatureBytes) {
    const problem = `It has ${bytes.length} bytes. At most ${largestSignatureBytes} are allowed.`;
    return { verdict: { passed: false, problem } };
  }
  const [first] = documents;
  if (!first) return { verdict: { passed: false, problem: 'The order does not ask for it.' } };
  if (gate === 'off') return { document: first, verdict: { passed: true, bytes, signers: [], notes: [] } };
  const authorities = readCertificates(caBundle ?? '');
  const checked = {
    level: gate,
    authorities,
    unchecked,
    ...(timeStampAuthorities !== undefined && { timeStampAuthorities: readCertificates(timeStampAuthorities) }),
    ...(crl !== undefined && { revocationLists: readRevocationLists(Buffer.from(crl)) }),
    now: new Date(),
  };
  const check = openSignature(bytes, checked);
  let refused: Fit | undefined;
  for (const document of documents) {
    const verdict = allowed(await check(signedDocument(desk, documents, document)), signers);
    if (verdict.passed) return { document, verdict };
    refused ??= { document, verdict };
  }
  return refused as Fit;
}

function signedDocument({ buckets }: Desk, all: NamedDocument[], document: NamedDocument): SignedDocument {
  const open = () => openDocument(buckets, document);
  return {
    digest: async (algorithm) => {
      const recorded = recordedDigest(document, algorithm);
      return recorded === undefined ? digestOf(await open(), algorithm) : Buffer.from(recorded, 'hex');
    },
    open,
    size: document.size,
    describeOwner: async (algorithm, digest) => {
      // Every document was tried before, also those whose digest is not recorded.
      const owner = all.find((one) => recordedDigest(one, algorithm) === digest.toString('hex'));
      return owner && `the document ${owner.file}`;
    },
  };
}
