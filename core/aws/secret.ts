import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { clientDefaults, withoutLog } from './aws-client.ts';

let client: SecretsManagerClient | undefined;

/** One client for all reads: to create one takes longer than a read. */
function secrets(): SecretsManagerClient {
  client ??= withoutLog(new SecretsManagerClient(clientDefaults));
  return client;
}

export async function readSecret(arn: string): Promise<string | undefined> {
  try {
    return (await secrets().send(new GetSecretValueCommand({ SecretId: arn }))).SecretString;
  } catch (error) {
    // The secret exists, but has no value yet.
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
