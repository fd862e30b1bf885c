import { createDetachedSignature } from '@business-loan-orders/detached-signatures/create-signature';
import { type GostSigner, gostSign } from '@business-loan-orders/detached-signatures/gost-certificates';
import { Streebog } from '@business-loan-orders/detached-signatures/streebog';

/** A detached CMS signature over a document with a GOST key of 256 bits. */
export async function signWithGost({ certificate, key }: GostSigner, document: Uint8Array): Promise<Uint8Array> {
  return createDetachedSignature({
    digest: new Streebog(32).update(document).digest(),
    digestAlgorithm: 'streebog256',
    certificates: [certificate],
    keyType: 'gost',
    signingTime: new Date(),
    sign: async (data) => gostSign(key, data),
  });
}
