import { RemovalPolicy } from 'aws-cdk-lib';
import { Alias, type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

const specs = {
  RSA_2048: KeySpec.RSA_2048,
  RSA_3072: KeySpec.RSA_3072,
  RSA_4096: KeySpec.RSA_4096,
  ECC_NIST_P256: KeySpec.ECC_NIST_P256,
  ECC_NIST_P384: KeySpec.ECC_NIST_P384,
};

/** The asymmetric key that signs documents: created here, or given by the stage. Undefined if the stage has none. */
export function signingKey(scope: Construct, { name, signing, keepData }: Stage): IKey | undefined {
  const { key } = signing;
  if (key === undefined) return undefined;
  if (typeof key === 'string') return Key.fromKeyArn(scope, 'DocumentKey', key);
  // KMS can't change the spec of a key, so another spec is another key: the id contains it. CloudFormation creates the new key, moves the
  // alias to it, and lets go of the old one.
  const made = new Key(scope, `DocumentKey-${key.create}`, {
    description: 'Signs the documents of loan orders. Its certificate chain is signing/certificate-chain.pem in intake',
    keySpec: specs[key.create],
    keyUsage: KeyUsage.SIGN_VERIFY,
    removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  new Alias(scope, 'DocumentKeyAlias', { aliasName: `alias/loan-orders-${name}-signing`, targetKey: made });
  return made;
}
