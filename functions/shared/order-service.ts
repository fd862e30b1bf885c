import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { clientDefaults } from './aws-client.ts';
import { environment, environmentFlag, environmentNumber } from './environment.ts';
import { Unauthorized } from './errors.ts';
import { OrderServiceClient } from './order-service-client.ts';
import { getItem, putItem, updateItem } from './table.ts';
import { FleetToken, type SharedToken } from './token.ts';
import { type Credentials, requestToken, type TokenSettings } from './token-request.ts';
import { openToken, sealToken } from './token-seal.ts';

let client: OrderServiceClient | undefined;

/** The order service of this stage, wired from the environment on first use; one per Lambda environment. */
export function orderService(): OrderServiceClient {
  client ??= new OrderServiceClient({
    baseUrl: environment('ORDER_SERVICE_URL'),
    tokens: fleetToken(),
    callTimeout: environmentNumber('CALL_TIMEOUT_MILLISECONDS'),
    fileTimeout: environmentNumber('FILE_TIMEOUT_MILLISECONDS'),
    fileIdleTimeout: environmentNumber('FILE_IDLE_TIMEOUT_MILLISECONDS'),
    contentType: environment('ORDER_CONTENT_TYPE'),
    unavailableProvesNothingDone: environmentFlag('UNAVAILABLE_PROVES_NOTHING_DONE'),
  });
  return client;
}

function fleetToken(): FleetToken {
  const callTimeout = environmentNumber('CALL_TIMEOUT_MILLISECONDS');
  const settings: TokenSettings = {
    url: environment('TOKEN_URL'),
    expiresInUnit: environment('TOKEN_EXPIRES_IN_UNIT') as TokenSettings['expiresInUnit'],
    defaultLifetime: environmentNumber('TOKEN_DEFAULT_LIFETIME_SECONDS'),
    callTimeout,
  };
  return new FleetToken({
    readCredentials: () => readCredentials(environment('CREDENTIALS_SECRET')),
    requestToken: (credentials) => requestToken(credentials, settings),
    seal: sealToken,
    open: openToken,
    shared: sharedToken,
    lockDuration: callTimeout + 3_000,
  });
}

async function readCredentials(secret: string): Promise<Credentials> {
  const secrets = new SecretsManagerClient(clientDefaults);
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: secret })).catch((error: Error) => {
    // What Secrets Manager says of a secret that has no value yet.
    if (error instanceof ResourceNotFoundException) throw malformedSecret();
    throw error;
  });
  let value: unknown;
  try {
    value = JSON.parse(SecretString ?? '');
  } catch {
    // Not the parser's own error: it would quote the secret.
    throw malformedSecret();
  }
  const { client_id, client_secret, scope } = (value ?? {}) as Record<string, unknown>;
  if (typeof client_id !== 'string' || typeof client_secret !== 'string' || !client_id || !client_secret)
    throw malformedSecret();
  return { client_id, client_secret, ...(typeof scope === 'string' && scope !== '' && { scope }) };
}

function malformedSecret(): Unauthorized {
  return new Unauthorized(
    'The credentials secret is not a JSON object with client_id and client_secret. Put the partner\'s credentials into it (README, "Deploy").',
  );
}

/** No order can be called this: an `orderRef` begins with a letter or digit. */
const TOKEN_KEY = { orderRef: '#token', item: 'token' };

const sharedToken: SharedToken = {
  async read() {
    return (await getItem<{ sealed?: string }>(TOKEN_KEY))?.sealed;
  },
  lock(owner, until, now, seen) {
    // A lock whose answer was lost is asked for again by the SDK, and is this owner's already.
    const free = '(attribute_not_exists(#until) OR #until < :now OR #owner = :owner)';
    const unchanged = seen === undefined ? 'attribute_not_exists(sealed)' : 'sealed = :seen';
    const values = { ':now': now, ...(seen !== undefined && { ':seen': seen }) };
    return updateItem(TOKEN_KEY, { owner, until }, `${free} AND ${unchanged}`, values);
  },
  async write(owner, sealed) {
    const item = { ...TOKEN_KEY, sealed };
    await putItem(item, '#owner = :owner', { ':owner': owner }, { '#owner': 'owner' });
  },
  async unlock(owner) {
    await updateItem(TOKEN_KEY, { until: undefined, owner: undefined }, '#owner = :held', { ':held': owner });
  },
};
