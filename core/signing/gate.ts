import type { Readable } from 'node:stream';
import { readCertificates } from '@business-loan-orders/detached-signatures/certificate-path';
import type { DigestAlgorithm } from '@business-loan-orders/detached-signatures/create-signature';
import { digestOf as digestOfContent } from '@business-loan-orders/detached-signatures/digest';
import { indicationOf } from '@business-loan-orders/detached-signatures/reasons';
import { readRevocationLists } from '@business-loan-orders/detached-signatures/revocation';
import type { Gate, PassedVerdict, SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import { isNamed } from '@business-loan-orders/detached-signatures/signer-name';
import { type InWords, inWords, VALID_ONE } from '../messages/english.ts';
import type { Coded } from '../messages/say.ts';

/** `largestBytes`: of a signature. `signers`: who may sign; anybody if it is empty. */
export type SignatureSettings = Omit<Gate, 'level' | 'now'> & {
  gate: 'off' | Gate['level'];
  largestBytes: number;
  signers: string[];
};

export type RefusedVerdict = { passed: false; problem: string; fix?: string } & Coded;
type Verdict = PassedVerdict | RefusedVerdict;

/** A refusal as people and files are told it: what is wrong and the next step as text, and what is wrong as codes. */
export function told({ problem, fix = VALID_ONE, code, params }: Omit<RefusedVerdict, 'passed'>) {
  return { problem: `${problem} ${fix}`.trim(), indication: indicationOf(code), code, params };
}

/** Certificates and revocation lists as PEM texts. */
export interface TrustTexts {
  authorities: string | undefined;
  timeStampAuthorities: string | undefined;
  revocationLists: string | undefined;
}

export function readTrust({ authorities, timeStampAuthorities, revocationLists }: TrustTexts) {
  return {
    authorities: readCertificates(authorities ?? ''),
    ...(timeStampAuthorities !== undefined && { timeStampAuthorities: readCertificates(timeStampAuthorities) }),
    ...(revocationLists !== undefined && { revocationLists: readRevocationLists(Buffer.from(revocationLists)) }),
  };
}

export function sizeProblem(size: number, { largestBytes: most }: SignatureSettings): InWords | undefined {
  if (size === 0) return inWords('signatureEmpty');
  return size > most ? inWords('signatureTooLarge', { size, most }) : undefined;
}

/** The stage's gate for one signature: checks it against one document or several. */
export async function openGate(
  bytes: Uint8Array,
  { gate, signers, largestBytes: _, ...trust }: SignatureSettings,
): Promise<(document: SignedDocument) => Promise<Verdict>> {
  if (gate === 'off') return async () => ({ passed: true, bytes, signers: [], notes: [] });
  const { openSignature } = await import('@business-loan-orders/detached-signatures/signature-gate');
  const check = openSignature(bytes, { level: gate, ...trust, now: new Date() });
  return async (document) => allowed(await check(document), signers);
}

/** Refuses a signature of anyone who is not in the stage's list of signers. */
function allowed(verdict: Verdict, signers: readonly string[]): Verdict {
  if (!verdict.passed || signers.length === 0 || verdict.signers.every((signer) => isNamed(signer, signers)))
    return verdict;
  return { passed: false, ...inWords('signerNotNamed') };
}

type Digests = Partial<Record<DigestAlgorithm, string>>;

/** Computes a digest that `document` does not have yet, and adds it. */
export async function digestOf(
  document: Digests,
  algorithm: DigestAlgorithm,
  open: () => Promise<Readable>,
): Promise<Buffer> {
  document[algorithm] ??= (await digestOfContent(await open(), algorithm)).toString('hex');
  return Buffer.from(document[algorithm], 'hex');
}
