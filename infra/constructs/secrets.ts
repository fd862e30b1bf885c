import { CfnOutput } from 'aws-cdk-lib';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { ConnectionSettings } from '../order-service-settings.ts';
import type { Stage } from '../stages.ts';
import { dataKey } from './data-key.ts';
import { removalPolicy } from './kept-data.ts';

export interface ServiceSecrets {
  credentials: Secret;
  /** One that the stack creates, or an existing one. Undefined if the stage has none. */
  clientCertificate: Pick<Secret, 'secretArn'> | undefined;
}

/** The secrets for a service: its credentials and, if the stage has one, the client certificate, which an output names. */
export function serviceSecrets(
  scope: Construct,
  prefix: string,
  service: string,
  { clientCertificate }: ConnectionSettings,
  stage: Stage,
): ServiceSecrets {
  const make = (id: string, secretName: string, description: string) =>
    emptySecret(scope, id, { secretName, description }, stage);
  const credentials = make(
    'Credentials',
    `${prefix}-credentials`,
    `OAuth 2.0 client credentials at ${service}: {"client_id":"…","client_secret":"…","scope":"…"}`,
  );
  if (clientCertificate === undefined) return { credentials, clientCertificate };
  const secret =
    clientCertificate === true
      ? make(
          'ClientCertificate',
          `${prefix}-client-certificate`,
          'Client certificate for TLS: the chain and the private key, in PEM',
        )
      : { secretArn: clientCertificate };
  new CfnOutput(scope, 'ClientCertificateSecret', {
    value: secret.secretArn,
    description: 'Put the client certificate, its chain and its private key into this secret, as PEM or JSON',
  });
  return { credentials, clientCertificate: secret };
}

/**
 * A secret without a value. The partner sets the value: one in the template could overwrite theirs in a later deployment. While the secret
 * is empty, the functions' errors say what to do.
 */
function emptySecret(
  scope: Construct,
  id: string,
  names: { secretName: string; description: string },
  stage: Stage,
): Secret {
  const key = dataKey(scope, stage);
  const secret = new Secret(scope, id, {
    ...names,
    ...(key && { encryptionKey: key }),
    removalPolicy: removalPolicy(stage),
  });
  (secret.node.defaultChild as CfnSecret).addPropertyDeletionOverride('GenerateSecretString');
  return secret;
}
