import { CfnOutput } from 'aws-cdk-lib';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { ConnectionSettings } from '../order-service-settings.ts';
import type { Stage } from '../stages.ts';
import { dataKey } from './data-key.ts';
import { removalPolicy } from './kept-data.ts';

export interface ServiceSecrets {
  credentials: Secret;
  /** A secret that the stack creates, or an existing one. Undefined if the stage has none. */
  clientCertificate: Pick<Secret, 'secretArn'> | undefined;
}

/**
 * The secrets for a service: its credentials and, if the stage has one, the client certificate, which an output names. They are created
 * without a value. The partner sets it: a value in the template could overwrite it in a later deployment. While a secret is empty, the
 * functions' errors say what to do. Functions that call the service read them (`add-function.ts`); no person may (`order/people-rights.ts`).
 */
export function serviceSecrets(
  scope: Construct,
  prefix: string,
  service: string,
  { clientCertificate }: ConnectionSettings,
  stage: Stage,
): ServiceSecrets {
  const key = dataKey(scope, stage);
  const emptySecret = (id: string, secretName: string, description: string) => {
    const encryption = key && { encryptionKey: key };
    const secret = new Secret(scope, id, {
      secretName,
      description,
      ...encryption,
      removalPolicy: removalPolicy(stage),
    });
    (secret.node.defaultChild as CfnSecret).addPropertyDeletionOverride('GenerateSecretString');
    return secret;
  };
  const credentials = emptySecret(
    'Credentials',
    `${prefix}-credentials`,
    `OAuth 2.0 client credentials at ${service}: {"client_id":"…","client_secret":"…","scope":"…"}`,
  );
  if (clientCertificate === undefined) return { credentials, clientCertificate };
  const what = 'Client certificate for TLS: the chain and the private key, in PEM';
  const secret =
    clientCertificate === true
      ? emptySecret('ClientCertificate', `${prefix}-client-certificate`, what)
      : { secretArn: clientCertificate };
  new CfnOutput(scope, 'ClientCertificateSecret', {
    value: secret.secretArn,
    description: 'Put the client certificate, its chain and its private key into this secret, as PEM or JSON',
  });
  return { credentials, clientCertificate: secret };
}
