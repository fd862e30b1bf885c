import type { X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { algorithmOf, type CertificateParts, certificateParts, KEY_USAGE } from './certificate-parts.ts';
import { dateProblem, issuedBy } from './certificate-path.ts';
import { purposesOf, unfitForAll } from './certificate-rules.ts';
import { digestOf } from './digest.ts';
import { decodeTime, type Element, elementAt, elementsIn, INTEGER, OCTET_STRING, SEQUENCE } from './elements.ts';
import { type CmsSignature, type CmsSigner, readCmsSignature } from './read-signature.ts';
import { InvalidSignature, type Reason, reason } from './reasons.ts';
import { digestAlgorithms } from './signature-algorithms.ts';
import { documentOf, uncheckedReason } from './signer-check.ts';

/** The time at which a signature existed (RFC 3161). */
export interface TimeStamp {
  /** The latest that the time stamp's accuracy allows. */
  at: Date;
  /** Whether a trusted time stamp authority issued the certificate that signed the time stamp. */
  isTrusted: boolean;
}

/** The identifier of extended key usage, and TRUE. */
const CRITICAL_PURPOSES = Buffer.from('0603551d250101ff', 'hex');
/** Key usage: digitalSignature, nonRepudiation, or both. */
const SIGNING = [0x80, 0x40, 0xc0];
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** The content type of a time stamp. */
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const [UNREADABLE, UNCHECKED] = [reason('NO_POE.unreadable'), reason('NO_POE.unchecked')];

/**
 * Checks that the time stamp of a signature is valid and covers the signature's value.
 * @returns undefined if there is no time stamp, or why it cannot be checked.
 * @throws InvalidSignature if it belongs to another signature, or was altered.
 */
export async function checkTimeStamp(
  { timeStamp, signature }: CmsSigner,
  authorities: readonly X509Certificate[],
  tries: { left: number },
): Promise<TimeStamp | Reason | undefined> {
  if (!timeStamp) return undefined;
  let token: CmsSignature;
  let info: TimeStampInfo;
  try {
    token = readCmsSignature(timeStamp);
    info = readInfo(token);
  } catch {
    return UNREADABLE;
  }
  const digest = digestAlgorithms.get(info.digestAlgorithm);
  const [signer] = token.signers;
  if (!digest || !signer?.certificate) return UNCHECKED;
  if (!info.imprint.equals(await digestOf(Readable.from([signature]), digest)))
    throw new InvalidSignature('HASH_FAILURE.timeStamp');
  const { certificate } = signer;
  const content = token.content as Buffer;
  const unchecked = await uncheckedReason({ ...signer, certificate }, token, documentOf(content)).catch(altered);
  if (unchecked) return UNCHECKED;
  const { sha1, sha256 } = signer.attributes?.signingCertificates ?? {};
  const trusted =
    (sha1 ?? sha256) !== undefined &&
    isForTime(certificateParts(certificate)) &&
    !dateProblem(certificate, info.at) &&
    (await issuedBy(authorities, token.certificates, info.at, tries)).has(certificate);
  return { at: info.at, isTrusted: trusted };
}

/** Extended key usage must be critical and only for time stamps, and the key only for signatures (RFC 3161, section 2.3). */
function isForTime(parts: CertificateParts): boolean {
  const usage = parts.extensions.get(KEY_USAGE);
  const isOnlyForTime = parts.body.includes(CRITICAL_PURPOSES) && purposesOf(parts).join() === TIME_STAMPING;
  return isOnlyForTime && (!usage || SIGNING.includes(elementAt(usage).content[1] ?? 0)) && !unfitForAll(parts);
}

function altered(error: unknown): never {
  throw error instanceof InvalidSignature ? new InvalidSignature('SIG_CRYPTO_FAILURE.timeStamp') : error;
}

interface TimeStampInfo {
  digestAlgorithm: string;
  imprint: Buffer;
  at: Date;
}

/** TSTInfo (RFC 3161, section 2.4.2). */
function readInfo({ contentType, content }: CmsSignature): TimeStampInfo {
  if (contentType !== TST_INFO || !content) throw new Error('it is not a time stamp');
  const [, , messageImprint, , time, accuracy] = elementsIn(elementAt(content).content);
  const [algorithm, imprint] = elementsIn((messageImprint as Element).content);
  if (!algorithm || imprint?.tag !== OCTET_STRING) throw new Error('it has no messageImprint');
  const at = new Date(decodeTime(time as Element).getTime() + 1000 * secondsOf(accuracy));
  if (Number.isNaN(at.getTime())) throw new Error('it has no time');
  return { digestAlgorithm: algorithmOf(algorithm), imprint: imprint.content, at };
}

/** An accuracy (RFC 3161, section 2.4.2) in whole seconds. What has another tag is less than a second. */
function secondsOf(accuracy: Element | undefined): number {
  const parts = accuracy?.tag === SEQUENCE ? [...elementsIn(accuracy.content)] : [];
  return parts.reduce((sum, part) => sum + (part.tag === INTEGER ? Number(`0x${part.content.toString('hex')}`) : 1), 0);
}
