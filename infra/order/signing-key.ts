import { RemovalPolicy } from 'aws-cdk-lib';
import { Alias, type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { resourcesName } from '../names.ts';
import type { Stage } from '../stages.ts';

/** The asymmetric keys that sign: created here, or given by the stage. Undefined if the stage has none. */
export function signingKeys(scope: Construct, stage: Stage) {
  const { signing, keepData } = stage;
  const make = (id: string, key: Stage['signing']['key'], alias: string, description: string): IKey | undefined => {
    if (key === undefined) return undefined;
    if (typeof key === 'string') return Key.fromKeyArn(scope, `Given${id}`, key);
    // KMS can't change the spec of a key, so another spec needs another key: the id contains the spec. CloudFormation creates the new key,
    // moves the alias to it, and releases the old one.
    const made = new Key(scope, `${id}-${key.create}`, {
      description,
      keySpec: KeySpec[key.create],
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    new Alias(scope, `${id}Alias`, { aliasName: `alias/${resourcesName(stage)}-${alias}`, targetKey: made });
    return made;
  };
  const chain = 'Its certificate chain in intake is signing/';
  return {
    documents: make(
      'DocumentKey',
      signing.key,
      'signing',
      `Signs the documents of loan orders, nothing else. ${chain}certificate-chain.pem`,
    ),
    evidence: make(
      'EvidenceKey',
      signing.evidenceKey,
      'evidence',
      `Signs the evidence of loan orders, nothing else. ${chain}evidence-certificate-chain.pem`,
    ),
  };
}
