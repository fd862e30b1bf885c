import type { PassedVerdict, SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import { type InWords, inWords } from '../../core/messages/english.ts';
import type { Coded } from '../../core/messages/say.ts';
import {
  digestOf,
  openGate,
  type RefusedVerdict,
  readTrust,
  recordedDigest,
  type SignatureSettings,
  sizeProblem,
} from '../../core/signing/gate.ts';
import { knownStage } from '../../infra/stages.ts';
import { type NamedDocument, named } from '../documents.ts';
import type { Buckets } from '../shared/buckets.ts';
import type { StageConnection } from '../shared/connection.ts';
import { openDocument } from './document-stream.ts';
import { readToSignPage, SIGNATURE_TYPE, signatureKeyOf } from './sign-order.ts';
import { isArchive, readArchive } from './signature-archive.ts';

const NOT_ASKED: RefusedVerdict = { passed: false, ...inWords('notAsked') };
const CERTIFICATES_ONLY: RefusedVerdict = { passed: false, ...inWords('certificatesOnly') };
const SIGNATURE_NAME = /\.(sig|sgn|p7s|p7m)$/i;
/** The code of a file that is none of the signatures in a ZIP, unless its name says that it is one. */
const NO_SIGNATURE = /^(FORMAT_FAILURE|certificatesOnly)/;

/** The verdict on a file: on one signature or, with `inside`, on a ZIP of them. */
export interface SignatureVerdict extends Coded {
  name: string;
  /** Of a ZIP: whether a signature in it passed. */
  passed: boolean;
  problem?: string;
  /** What could not be checked. */
  note?: Coded & { problem: string };
  /** The document that it signs. */
  fileId?: string;
  file?: string;
  inside?: SignatureVerdict[];
  /** The files of a ZIP that are not signatures. */
  leftOut?: string[];
}

interface GivenFile {
  name: string;
  bytes: Buffer;
}
type Candidate = NamedDocument & { signed: SignedDocument };
type Judge = (file: GivenFile) => Promise<SignatureVerdict>;

/**
 * Checks signatures like the function `receive-upload`, with the settings of the stage, and finds the document of the present round that
 * each signs. With `isHandedIn` a signature that passes is uploaded. A ZIP of signatures is opened.
 * @throws Refusal when the order has nothing to sign.
 */
export async function openJudge(connection: StageConnection, orderRef: string, isHandedIn: boolean): Promise<Judge> {
  const buckets = await connection.buckets();
  const page = await readToSignPage(buckets, orderRef);
  const all = named(await connection.record.details(orderRef)).filter(({ round }) => round === page.round);
  const documents = all.map((document) => ({ ...document, signed: signedDocument(buckets, all, document) }));
  const { gate, note: unknown } = gateOf(connection);
  const judge: Judge = async ({ name, bytes }) => {
    const { document, verdict } = await bestFit(byName(documents, name, gate), bytes, gate);
    const staged = page.documents.find(({ fileId }) => fileId === document?.fileId);
    if (!verdict.passed || !document || !staged) {
      const refused: RefusedVerdict = verdict.passed ? NOT_ASKED : verdict;
      const { problem, code, params } = refused.code === 'FORMAT_FAILURE.noSigner' ? CERTIFICATES_ONLY : refused;
      const of = document && { fileId: document.fileId, file: document.file };
      return { name, passed: false, problem, code, params, ...of };
    }
    if (isHandedIn) await buckets.putIntake(signatureKeyOf(staged, buckets), verdict.bytes, SIGNATURE_TYPE);
    const note = verdict.unchecked ?? unknown;
    return { name, passed: true, fileId: document.fileId, file: document.file, ...(note !== undefined && { note }) };
  };
  return (file) => (isArchive(file.bytes) ? judgeArchive(file, gate, judge) : judge(file));
}

async function judgeArchive(
  { name, bytes }: GivenFile,
  gate: SignatureSettings,
  judge: Judge,
): Promise<SignatureVerdict> {
  const files = await readArchive(bytes, (size) => sizeProblem(size, gate));
  if (!Array.isArray(files)) return { name, passed: false, ...files };
  const inside: SignatureVerdict[] = [];
  const leftOut: string[] = [];
  for (const file of files) {
    const isNamed = SIGNATURE_NAME.test(file.name) && !file.name.startsWith('__MACOSX/');
    // A gate that is off would pass any file.
    const isLeftOut = !isNamed && ('problem' in file || gate.gate === 'off');
    const verdict = isLeftOut || 'problem' in file ? { passed: false, ...file } : await judge(file);
    const isOther = isLeftOut || (!isNamed && NO_SIGNATURE.test(verdict.code ?? ''));
    if (isOther) leftOut.push(file.name);
    else inside.push(verdict);
  }
  const passed = inside.some((one) => one.passed);
  const none = inside.length === 0 && inWords('archiveWithoutSignatures');
  return { name, passed, inside, leftOut, ...none };
}

/** The gate of the stage. Its certificates are in the file of the stage. Without that file, this check is weaker than the stage's own. */
function gateOf({ place, settings: deployed }: StageConnection): { gate: SignatureSettings; note?: InWords } {
  const { gate, unchecked, signers = [], largestSignatureBytes: largestBytes, ...has } = deployed().signatures;
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

/** The document whose name the signature has comes first. Where nothing is checked, only the name says which of several it is. */
function byName(documents: Candidate[], name: string, { gate }: SignatureSettings): Candidate[] {
  const own = (name.split(/[\\/]/).at(-1) ?? '').replace(SIGNATURE_NAME, '');
  const isNamed = ({ fileId, file }: NamedDocument) =>
    [fileId, encodeURIComponent(fileId), file, file.replace(/\.[^.]*$/, '')].includes(own);
  const others = documents.filter((document) => !isNamed(document));
  return [...documents.filter(isNamed), ...(gate === 'off' && documents.length > 1 ? [] : others)];
}

interface Fit {
  document?: NamedDocument;
  verdict: PassedVerdict | RefusedVerdict;
}

/** A signature's digest shows which document it signs. If it fits none, the verdict on the first document says why. */
async function bestFit(documents: Candidate[], bytes: Buffer, gate: SignatureSettings): Promise<Fit> {
  const problem = sizeProblem(bytes.length, gate);
  if (problem) return { verdict: { passed: false, ...problem } };
  const check = await openGate(bytes, gate);
  let refused: Fit = { verdict: NOT_ASKED };
  for (const document of documents) {
    const verdict = await check(document.signed);
    if (verdict.passed) return { document, verdict };
    if (!refused.document) refused = { document, verdict };
  }
  return refused;
}

/** A digest that is not recorded is computed once for all signatures. */
function signedDocument(buckets: Buckets, all: NamedDocument[], document: NamedDocument): SignedDocument {
  const open = () => openDocument(buckets, document);
  const digests = new Map<string, Promise<Buffer>>();
  return {
    digest: (algorithm) => {
      const digest = digests.get(algorithm) ?? digestOf(document, algorithm, open);
      digests.set(algorithm, digest);
      return digest;
    },
    open,
    size: document.size,
    findOwner: async (algorithm, digest) => {
      // Every document was already tried, also those without a recorded digest.
      const owner = all.find((one) => recordedDigest(one, algorithm) === digest.toString('hex'));
      return owner && { document: owner.file };
    },
  };
}
