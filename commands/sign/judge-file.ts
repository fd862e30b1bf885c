import type {
  PassedVerdict,
  SignedDocument,
  SignerOfVerdict,
} from '@business-loan-orders/detached-signatures/signature-gate';
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
import type { OrderDetails } from '../shared/order-details.ts';
import { Refusal } from '../shared/text.ts';
import { openDocument } from './document-stream.ts';
import { readToSignPage, SIGNATURE_TYPE, signatureKeyOf, type ToSignPage } from './sign-order.ts';
import { isArchive, readArchive } from './signature-archive.ts';

const NOT_ASKED: RefusedVerdict = { passed: false, ...inWords('notAsked') };

/** The most documents that are read for a signature that does not contain their digest: it has no signed attributes. */
const MOST_READ = 10;

/** The verdict on a signature in hand. */
export interface SignatureVerdict extends Coded {
  name: string;
  passed: boolean;
  problem?: string;
  /** What could not be checked. */
  note?: Coded & { problem: string };
  /** Whose certificates signed. Empty where the gate is off. */
  signers?: SignerOfVerdict[];
  /** The document that it signs, or that it is named after. */
  orderRef?: string;
  fileId?: string;
  file?: string;
}

/** A document that people are asked to sign. Digests that a signature needs are added to it. */
export type AskedDocument = NamedDocument & { orderRef: string };
type Fit = (PassedVerdict | RefusedVerdict) & { document?: AskedDocument };
type GivenFile = { name: string; bytes: Buffer };
type Judge = (file: GivenFile, isHandedIn: boolean) => Promise<SignatureVerdict>;

/** The documents of the order's present round. */
export function documentsAsked(details: Pick<OrderDetails, 'order' | 'toSign'>): AskedDocument[] {
  const { orderRef, rounds } = details.order;
  const present = named(details).filter(({ round }) => round === rounds?.signatures?.number);
  return present.map((document) => ({ ...document, orderRef }));
}

/**
 * Checks signatures like the function `receive-upload`, with the settings of the stage, and finds the document that each signs.
 * @param documents of one order, or of several.
 * @param orderRef the only order.
 * @returns judges a file: a signature, or a ZIP of them. Of its verdicts, `isHandedIn` chooses by position: if one passes, the signature is
 * uploaded.
 * @throws Refusal when the only order has nothing to sign. With several orders, this is a verdict.
 */
export async function openJudge(connection: StageConnection, documents: AskedDocument[], orderRef?: string) {
  const buckets = await connection.buckets();
  const pages = new Map<string, Promise<ToSignPage>>();
  const pageOf = (ref: string) => {
    const page = pages.get(ref) ?? readToSignPage(buckets, ref);
    pages.set(ref, page);
    return page;
  };
  if (orderRef !== undefined) await pageOf(orderRef);
  const { gate, note: unknown } = gateOf(connection);
  const judge: Judge = async ({ name, bytes }, isHandedIn) => {
    const { document, ...verdict } = await bestFit(connection, buckets, byName(documents, name, gate), bytes, gate);
    const { orderRef = '', fileId = '', file = '' } = document ?? {};
    const of = document && { orderRef, fileId, file };
    if (!verdict.passed) return { name, passed: false, ...told(verdict), ...of };
    const page = await pageOf(orderRef).catch(onlyRefusal);
    if (page instanceof Refusal) return { name, passed: false, problem: page.message, ...page.coded, ...of };
    const staged = page.documents.find((one) => one.fileId === fileId && one.versionId === document?.versionId);
    if (!staged) return { name, passed: false, ...told(NOT_ASKED), ...of };
    if (isHandedIn) await buckets.putIntake(signatureKeyOf(staged, buckets), verdict.bytes, SIGNATURE_TYPE);
    const note = verdict.unchecked ?? unknown;
    return { name, passed: true, ...of, signers: verdict.signers, ...(note !== undefined && { note }) };
  };
  return async (file: GivenFile, isHandedIn: (position: number) => boolean) =>
    isArchive(file.bytes) ? judgeArchive(file, gate, judge, isHandedIn) : [await judge(file, isHandedIn(0))];
}

function onlyRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

/** A file that is not a signature, by its content and its name, is left out. */
async function judgeArchive(
  { name, bytes }: GivenFile,
  gate: SignatureSettings,
  judge: Judge,
  isHandedIn: (position: number) => boolean,
) {
  const verdicts: SignatureVerdict[] = [];
  const refused = (why: InWords) => ({ passed: false, ...told(why) });
  const unreadable = inWords('archiveUnreadable');
  for (const { name, size, bytes: own } of await readArchive(bytes, gate.largestBytes).catch(() => [])) {
    const isNamed = /^(?!__MACOSX\/).*\.(sig|sgn|p7s|p7m)$/is.test(name);
    const verdict = own
      ? // A gate that is off passes any file.
        (isNamed || gate.gate !== 'off') && (await judge({ name, bytes: own }, isHandedIn(verdicts.length)))
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

/**
 * The documents whose name the signature has come first, most of all those of an order that its folder names. Where nothing is checked,
 * only the name says which of several it is.
 */
function byName(documents: AskedDocument[], name: string, { gate }: SignatureSettings): AskedDocument[] {
  const folders = name.split(/[\\/]/);
  const own = (folders.pop() ?? '').replace(/\.(sig|p7s|p7m|sgn)$/i, '');
  const isNamed = ({ fileId, file }: NamedDocument) =>
    [fileId, encodeURIComponent(fileId), file, file.replace(/\.[^.]*$/, '')].includes(own);
  const [nearest = [], alike = [], others = []] = [0, 1, 2].map((rank) =>
    documents.filter((one) => (isNamed(one) ? Number(!folders.includes(one.orderRef)) : 2) === rank),
  );
  if (gate !== 'off' || documents.length === 1) return [...nearest, ...alike, ...others];
  const meant = nearest.length > 0 ? nearest : alike;
  return meant.length === 1 ? meant : [];
}

/** A signature's digest shows which document it signs. If it fits none, the verdict on the first document says why. */
async function bestFit(
  { record: { table } }: StageConnection,
  buckets: Buckets,
  documents: AskedDocument[],
  bytes: Buffer,
  gate: SignatureSettings,
): Promise<Fit> {
  const problem = sizeProblem(bytes.length, gate);
  if (problem) return { passed: false, ...problem };
  const check = await openGate(bytes, gate);
  let read = 0;
  const signedDocument = (document: AskedDocument, isExplained = false) => {
    const open = () => openDocument(buckets, document);
    const signed: SignedDocument = {
      digest: (algorithm) => digestOf(document, algorithm, open),
      open: () => {
        read += 1;
        return open();
      },
      size: document.size,
      findOwner: async (...digest) => (isExplained ? whatWasSigned(signed, ...digest, table) : undefined),
    };
    return signed;
  };
  let refused: Fit = NOT_ASKED;
  for (const document of documents) {
    const verdict = await check(signedDocument(document));
    if (verdict.passed) return { document, ...verdict };
    if (!refused.document || (isOfOther(refused) && !isOfOther(verdict))) refused = { document, ...verdict };
    if (read >= MOST_READ) break;
  }
  if (!refused.document || !isOfOther(refused)) return refused;
  // Every document was already tried, also those without a recorded digest.
  const explained: Fit = { document: refused.document, ...(await check(signedDocument(refused.document, true))) };
  return isOfOther(explained) && documents.length > 1 ? { passed: false, ...inWords('signsNone') } : explained;
}

const isOfOther = (fit: Fit) => !fit.passed && fit.code === 'HASH_FAILURE';
