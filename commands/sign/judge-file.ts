import type { PassedVerdict, SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import { type InWords, inWords } from '../../core/messages/english.ts';
import type { Coded } from '../../core/messages/say.ts';
import {
  digestOf,
  openGate,
  type RefusedVerdict,
  readTrust,
  type SignatureSettings,
  sizeProblem,
  told,
} from '../../core/signing/gate.ts';
import { whatWasSigned } from '../../core/signing/what-was-signed.ts';
import { knownStage } from '../../infra/stages.ts';
import { type NamedDocument, named } from '../documents.ts';
import type { Buckets } from '../shared/buckets.ts';
import type { StageConnection } from '../shared/connection.ts';
import { openDocument } from './document-stream.ts';
import { readToSignPage, SIGNATURE_TYPE, signatureKeyOf } from './sign-order.ts';
import { isArchive, readArchive } from './signature-archive.ts';

const NOT_ASKED: RefusedVerdict = { passed: false, ...inWords('notAsked') };

/** The verdict on a signature in hand. */
export interface SignatureVerdict extends Coded {
  name: string;
  passed: boolean;
  problem?: string;
  /** What could not be checked. */
  note?: Coded & { problem: string };
  /** The document that it signs. */
  fileId?: string;
  file?: string;
}

type Candidate = NamedDocument & { signed: SignedDocument };
type Fit = (PassedVerdict | RefusedVerdict) & { document?: NamedDocument };
type GivenFile = { name: string; bytes: Buffer };
type Judge = (file: GivenFile) => Promise<SignatureVerdict>;

/**
 * Checks signatures like the function `receive-upload`, with the settings of the stage, and finds the document of the present round that
 * each signs. With `isHandedIn` a signature that passes is uploaded.
 * @returns judges a file: a signature, or a ZIP of them.
 * @throws Refusal when the order has nothing to sign.
 */
export async function openJudge(connection: StageConnection, orderRef: string, isHandedIn: boolean) {
  const buckets = await connection.buckets();
  const page = await readToSignPage(buckets, orderRef);
  const all = named(await connection.record.details(orderRef)).filter(({ round }) => round === page.round);
  const documents = all.map((document) => ({
    ...document,
    signed: signedDocument(connection, buckets, all, document),
  }));
  const { gate, note: unknown } = gateOf(connection);
  const judge: Judge = async ({ name, bytes }) => {
    const { document, ...verdict } = await bestFit(byName(documents, name, gate), bytes, gate);
    const of = document && { fileId: document.fileId, file: document.file };
    if (!verdict.passed) return { name, passed: false, ...told(verdict), ...of };
    const staged = page.documents.find(({ fileId }) => fileId === document?.fileId);
    if (!staged) return { name, passed: false, ...told(NOT_ASKED), ...of };
    if (isHandedIn) await buckets.putIntake(signatureKeyOf(staged, buckets), verdict.bytes, SIGNATURE_TYPE);
    const note = verdict.unchecked ?? unknown;
    return { name, passed: true, ...of, ...(note !== undefined && { note }) };
  };
  return async (file: GivenFile) => (isArchive(file.bytes) ? judgeArchive(file, gate, judge) : [await judge(file)]);
}

/** A file that is not a signature, by its content and its name, is left out. */
async function judgeArchive({ name, bytes }: GivenFile, gate: SignatureSettings, judge: Judge) {
  const verdicts: SignatureVerdict[] = [];
  const refused = (why: InWords) => ({ passed: false, ...told(why) });
  const unreadable = inWords('archiveUnreadable');
  for (const { name, size, bytes: own } of await readArchive(bytes, gate.largestBytes).catch(() => [])) {
    const isNamed = /^(?!__MACOSX\/).*\.(sig|sgn|p7s|p7m)$/is.test(name);
    const verdict = own
      ? // A gate that is off passes any file.
        (isNamed || gate.gate !== 'off') && (await judge({ name, bytes: own }))
      : isNamed && { name, ...refused(sizeProblem(size, gate) ?? unreadable) };
    const isOther = !verdict || (!isNamed && /^(FORMAT_FAILURE|signatureEmpty)/.test(verdict.code ?? ''));
    verdicts.push(isOther ? { name, ...refused(inWords('leftOut')) } : verdict);
  }
  return verdicts.length > 0 ? verdicts : [{ name, ...refused(unreadable) }];
}

/** The gate of the stage. Its certificates are in the file of the stage. Without that file, this check is weaker than the stage's own. */
function gateOf({ place, settings: deployed }: StageConnection): { gate: SignatureSettings; note?: InWords } {
  const { gate, unchecked, signers = [], largestSignatureBytes: largestBytes, ...has } = deployed().signatures;
  const { caBundle, crl, timeStampAuthorities } = knownStage(place.stage)?.signing ?? {};
  const trust = readTrust({ authorities: caBundle, timeStampAuthorities, revocationLists: crl });
  const settings = { gate, unchecked, signers, largestBytes, ...trust };
  const isWhole = (caBundle || !has.hasAuthorities) && (crl || !has.hasRevocationLists);
  if (isWhole || gate === 'off') return { gate: settings };
  return { gate: { ...settings, gate: 'check' }, note: inWords('issuerLater') };
}

/** The document whose name the signature has comes first. Where nothing is checked, only the name says which of several it is. */
function byName(documents: Candidate[], name: string, { gate }: SignatureSettings): Candidate[] {
  const own = (name.split(/[\\/]/).at(-1) ?? '').replace(/\.(sig|p7s|p7m|sgn)$/i, '');
  const isNamed = ({ fileId, file }: NamedDocument) =>
    [fileId, encodeURIComponent(fileId), file, file.replace(/\.[^.]*$/, '')].includes(own);
  const others = documents.filter((document) => !isNamed(document));
  return [...documents.filter(isNamed), ...(gate === 'off' && documents.length > 1 ? [] : others)];
}

/** A signature's digest shows which document it signs. If it fits none, the verdict on the first document says why. */
async function bestFit(documents: Candidate[], bytes: Buffer, gate: SignatureSettings): Promise<Fit> {
  const problem = sizeProblem(bytes.length, gate);
  if (problem) return { passed: false, ...problem };
  const check = await openGate(bytes, gate);
  let refused: Fit = NOT_ASKED;
  for (const document of documents) {
    const verdict = await check(document.signed);
    if (verdict.passed) return { document, ...verdict };
    if (!refused.document) refused = { document, ...verdict };
  }
  return refused;
}

function signedDocument({ record }: StageConnection, buckets: Buckets, all: NamedDocument[], document: NamedDocument) {
  const open = () => openDocument(buckets, document);
  const signed: SignedDocument = {
    digest: (algorithm) => digestOf(document, algorithm, open),
    open,
    size: document.size,
    findOwner: async (algorithm, digest) => {
      // Every document was already tried, also those without a recorded digest.
      const owner = all.find((one) => one[algorithm] === digest.toString('hex'));
      if (owner || document !== all[0]) return owner && { document: owner.file };
      return whatWasSigned(signed, algorithm, digest, record.table);
    },
  };
  return signed;
}
