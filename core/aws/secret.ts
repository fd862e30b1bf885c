import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { clientDefaults, withoutLog } from './aws-client.ts';

/** One client for all reads: to create one takes longer than a read. */
let client: SecretsManagerClient | undefined;

export async function readSecret(arn: string): Promise<string | undefined> {
  client ??= withoutLog(new SecretsManagerClient(clientDefaults));
  try {
    return (await client.send(new GetSecretValueCommand({ SecretId: arn }))).SecretString;
  } catch (error) {
    // The secret exists, but has no value yet.
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
