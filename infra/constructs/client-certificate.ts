import { CfnOutput } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { stackSettings, variableOf } from '../../core/settings.ts';
import type { ConnectionSettings } from '../connection-settings.ts';
import type { Stage } from '../stages.ts';
import type { TextFile } from './bundled-code.ts';
import type { BundledFunction } from './bundled-function.ts';
import { emptySecret } from './kept-data.ts';

/** A secret that the stack creates, or an existing one. */
export type SecretArn = Pick<Secret, 'secretArn'>;

/** The secret with the client certificate of the stage, and an output that names it. Undefined if the stage has none. */
export function clientCertificateSecret(
  scope: Construct,
  secretName: string,
  { clientCertificate }: ConnectionSettings,
  stage: Stage,
): SecretArn | undefined {
  if (clientCertificate === undefined) return undefined;
  const secret =
    clientCertificate === true ? createdSecret(scope, secretName, stage) : { secretArn: clientCertificate };
  new CfnOutput(scope, 'ClientCertificateSecret', {
    value: secret.secretArn,
    description: 'Put the client certificate, its chain and its private key into this secret, as PEM or JSON',
  });
  return secret;
}

function createdSecret(scope: Construct, secretName: string, stage: Stage): Secret {
  const description = 'Client certificate for TLS: the chain and the private key, in PEM';
  const noRotation = 'An authority issues the certificate. The functions use a new one without a deployment.';
  return emptySecret(scope, 'ClientCertificate', { secretName, description, noRotation }, stage);
}

/** Lets the function read the client certificate, and puts the ARN of its secret into the environment. */
export function allowClientCertificate(target: BundledFunction, secret: SecretArn | undefined): void {
  if (!secret) return;
  target.addEnvironment(variableOf(stackSettings, 'clientCertificateSecret'), secret.secretArn);
  target.addToRolePolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
  );
}

/** For a function that calls the services: the authorities that its connections trust beside Node's own, if the stage names some. */
export function serviceAuthorities({ caBundle }: ConnectionSettings): TextFile[] {
  if (caBundle === undefined) return [];
  return [{ variable: 'SERVICE_AUTHORITIES_FILE', file: 'service-authorities.pem', text: caBundle }];
}
