import { S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type LocalAws, type LocalAwsOptions, startLocalAws } from '@business-loan-orders/embedded-aws';
import type { Simulator } from '@business-loan-orders/order-simulator';

export interface StageService {
  /** The functions' environment variables with its addresses. */
  addresses: Record<string, string>;
  /** The value of the credentials secret. If absent, the secret is empty. */
  credentials?: Record<string, string> | undefined;
}

export interface StageOptions extends LocalAwsOptions {
  stack?: string;
  /** The access key of the clients. Default: one with all rights. */
  key?: LocalAws['clientSettings']['credentials'];
}

export type OpenStage = Awaited<ReturnType<typeof openStage>>;

/** Opens a stack of a synthesized assembly with its service. Schedules wait for `aws.startSchedules`. */
export async function openStage(
  { addresses, credentials }: StageService,
  { stack = 'LoanOrders-local', key, ...options }: StageOptions,
) {
  const functionEnvironment = { ...addresses, ...options.functionEnvironment };
  const aws = await startLocalAws({ ...options, functionEnvironment, holdSchedules: true });
  const outputs = aws.outputs[stack] ?? {};
  const client = { ...aws.clientSettings, ...(key && { credentials: key }) };
  const secrets = new SecretsManagerClient(client);
  /** As a partner does once after deploying. */
  const putCredentials = async (value: Record<string, string>) => {
    const secret = { SecretId: outputs.CredentialsSecret, SecretString: JSON.stringify(value) };
    await secrets.send(new PutSecretValueCommand(secret));
  };
  if (credentials) await putCredentials(credentials);
  return { aws, outputs, client, s3: new S3Client(client), stepFunctions: new SFNClient(client), putCredentials };
}

export function simulatedService({ url, authorizationUrl, settings }: Simulator) {
  const { clientId: client_id, clientSecret: client_secret, allowedScopes } = settings;
  return {
    addresses: { ORDER_SERVICE_URL: url, TOKEN_URL: `${authorizationUrl}/oauth2/token` },
    credentials: { client_id, client_secret, ...(allowedScopes && { scope: allowedScopes.join(' ') }) },
  };
}
