import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import {
  type CertificateOptions,
  certify,
  makeAuthority,
  toPem,
} from '@business-loan-orders/detached-signatures/certificates';
import type { OpenStage } from '../../laptop/open-stage.ts';

/** Gets a certificate for a key in KMS, and puts the chain into intake, as a partner does once. Returns its DER. */
export async function certifyKey(
  { client, s3, outputs }: Pick<OpenStage, 'client' | 's3' | 'outputs'>,
  KeyId: string | undefined,
  authority = makeAuthority(),
  options: CertificateOptions & { file?: string } = {},
): Promise<Buffer> {
  const { PublicKey = new Uint8Array() } = await new KMSClient(client).send(new GetPublicKeyCommand({ KeyId }));
  const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
  const { certificate } = certify(key, authority, options);
  const Body = toPem(authority.certificate) + toPem(certificate);
  const Key = `signing/${options.file ?? 'certificate-chain.pem'}`;
  await s3.send(new PutObjectCommand({ Bucket: outputs.IntakeBucket, Key, Body }));
  return certificate;
}
