import type { X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { algorithmOf } from './certificate-parts.ts';
import { dateProblem, issuedBy } from './certificate-path.ts';
import { digestOf } from './digest.ts';
import { decodeTime, type Element, elementAt, elementsIn, OCTET_STRING } from './elements.ts';
import { type CmsSignature, type CmsSigner, readCmsSignature } from './read-signature.ts';
import { InvalidSignature, type Reason, reason } from './reasons.ts';
import { digestAlgorithms } from './signature-algorithms.ts';
import { documentOf, uncheckedReason } from './signer-check.ts';

/** The time at which a signature existed (RFC 3161). */
export interface TimeStamp {
  at: Date;
  /** Whether a trusted time stamp authority issued the certificate that signed the time stamp. */
  isTrusted: boolean;
}

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
  const isForTime = certificate.keyUsage?.includes(TIME_STAMPING) && !dateProblem(certificate, info.at);
  const trusted =
    isForTime === true && (await issuedBy(authorities, token.certificates, info.at, tries)).has(certificate);
  return { at: info.at, isTrusted: trusted };
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
  const [, , messageImprint, , time] = elementsIn(elementAt(content).content);
  const [algorithm, imprint] = elementsIn((messageImprint as Element).content);
  if (!algorithm || imprint?.tag !== OCTET_STRING) throw new Error('it has no messageImprint');
  return { digestAlgorithm: algorithmOf(algorithm), imprint: imprint.content, at: decodeTime(time as Element) };
}
