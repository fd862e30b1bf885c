import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { clientDefaults } from './aws-client.ts';

/** Reads the current value of a secret. Undefined if the secret has no value yet. */
export async function readSecret(arn: string): Promise<string | undefined> {
  const secrets = new SecretsManagerClient(clientDefaults);
  try {
    return (await secrets.send(new GetSecretValueCommand({ SecretId: arn }))).SecretString;
  } catch (error) {
    // The secret exists, but has no value yet.
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
