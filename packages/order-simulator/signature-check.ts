import {
  type CmsSignature,
  type CmsSigner,
  readCmsSignature,
} from '@business-loan-orders/detached-signatures/read-signature';
import { InvalidSignature } from '@business-loan-orders/detached-signatures/reasons';
import { documentOf, uncheckedReason } from '@business-loan-orders/detached-signatures/signer-check';
import { ServiceError } from './errors.ts';

/**
 * The result of a check. `cms-valid`: CMS SignedData that is valid for the document. `opaque`: another format, or CMS that cannot be
 * checked: `note` says why, and is absent for another format.
 */
export interface CheckedSignature {
  kind: 'cms-valid' | 'opaque';
  note?: string;
}

const SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex');
const LONGEST_HEADER = 10;

/**
 * Checks a detached signature of `document` (RFC 5652, section 5.6): digest, signed attributes and the signature value. Does not
 * check whether the certificate is trusted. Throws a ServiceError (422) if the signature is not valid.
 */
export async function checkSignature(signature: Buffer, document: Buffer): Promise<CheckedSignature> {
  if (!claimsToBeSignedData(signature)) return { kind: 'opaque' };
  const signedData = parse(signature);
  if (!signedData.isDetached) throw wrong('The signature is not detached: it contains the document.');
  if (signedData.signers.length === 0) throw wrong('The signature has no signer.');
  const notes = await Promise.all(signedData.signers.map((signer) => checkSigner(signer, signedData, document)));
  const note = notes.find((text) => text !== undefined);
  return note === undefined ? { kind: 'cms-valid' } : { kind: 'opaque', note };
}

/** Whether the bytes start like SignedData. If so, truncated CMS is refused rather than accepted as opaque. */
function claimsToBeSignedData(bytes: Buffer): boolean {
  return bytes[0] === 0x30 && bytes.subarray(0, LONGEST_HEADER + SIGNED_DATA.length).includes(SIGNED_DATA);
}

function parse(bytes: Buffer): CmsSignature {
  try {
    return readCmsSignature(bytes);
  } catch (error) {
    throw wrong(`The signature is CMS SignedData that cannot be read: ${(error as Error).message}`);
  }
}

/** Returns why the signer cannot be checked, or undefined if it is valid. */
async function checkSigner(signer: CmsSigner, signedData: CmsSignature, document: Buffer): Promise<string | undefined> {
  const { certificate } = signer;
  if (!certificate) throw wrong("The signer's certificate is not included.");
  const unchecked = await uncheckedReason({ ...signer, certificate }, signedData, documentOf(document)).catch(
    (error: unknown) => {
      throw error instanceof InvalidSignature ? wrong(error.reason.problem) : error;
    },
  );
  return unchecked?.problem;
}

function wrong(message: string): ServiceError {
  return new ServiceError(422, 'signature_invalid', message);
}
