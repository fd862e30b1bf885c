import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { certify, makeAuthority, toPem } from '../../../packages/detached-signatures/certificates.ts';
import type { LocalAws } from '../../../packages/embedded-aws/index.ts';
import { PEOPLES_KEY } from '../people/peoples-key.ts';

/** Gets a certificate for the stage's KMS key and puts it into intake, as a partner does once. Returns it as DER. */
export async function certifySigningKey({ directClientSettings, outputs }: LocalAws): Promise<Buffer> {
  const client = { ...directClientSettings, credentials: PEOPLES_KEY };
  const { SigningKey: KeyId, IntakeBucket: Bucket } = outputs['LoanOrders-local'] ?? {};
  const { PublicKey = new Uint8Array() } = await new KMSClient(client).send(new GetPublicKeyCommand({ KeyId }));
  const publicKey = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
  const authority = makeAuthority();
  const { certificate } = certify(publicKey, authority);
  const Body = `${toPem(authority.certificate)}${toPem(certificate)}`;
  await new S3Client(client).send(new PutObjectCommand({ Bucket, Key: 'signing/certificate-chain.pem', Body }));
  return certificate;
}
