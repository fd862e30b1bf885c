import type { KeyOf, RecordTable } from '../aws/record-table.ts';
import { readSecret } from '../aws/secret.ts';
import { environment, environmentNumber } from '../environment.ts';
import { Unauthorized } from '../errors.ts';
import { MetricUnit, publish, timed } from '../metrics.ts';
import { stageConnections } from '../tls/stage-connections.ts';
import { FleetToken, type SharedToken } from './token.ts';
import { type Credentials, requestToken, type TokenSettings } from './token-request.ts';
import { openToken, sealToken } from './token-seal.ts';

/**
 * The token that all functions of a stack share, set up from the environment.
 * @param url the full address of the token endpoint.
 * @param key the item of `table` that holds the token.
 */
export function fleetToken<Partition extends string>(
  url: string,
  table: RecordTable<Partition>,
  key: KeyOf<Partition>,
): FleetToken {
  const callTimeout = environmentNumber('CALL_TIMEOUT_MILLISECONDS');
  const settings: TokenSettings = {
    url,
    expiresInUnit: environment('TOKEN_EXPIRES_IN_UNIT') as TokenSettings['expiresInUnit'],
    defaultLifetime: environmentNumber('TOKEN_DEFAULT_LIFETIME_SECONDS'),
    clientAuthentication: environment('TOKEN_CLIENT_AUTHENTICATION') as TokenSettings['clientAuthentication'],
    callTimeout,
    connections: stageConnections(),
  };
  return new FleetToken({
    readCredentials: () => readCredentials(environment('CREDENTIALS_SECRET')),
    requestToken: (credentials) =>
      timed(
        () => requestToken(credentials, settings),
        (outcome, milliseconds) => publish('TokenRequestLatency', MetricUnit.Milliseconds, milliseconds, { outcome }),
      ),
    seal: sealToken,
    open: openToken,
    shared: sharedToken(table, key),
    lockDuration: callTimeout + 3_000,
  });
}

async function readCredentials(secret: string): Promise<Credentials> {
  const text = await readSecret(secret);
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    // Not the parser's error, because it quotes the secret.
    throw malformedSecret();
  }
  const { client_id, client_secret, scope } = (value ?? {}) as Record<string, unknown>;
  if (typeof client_id !== 'string' || typeof client_secret !== 'string' || !client_id || !client_secret)
    throw malformedSecret();
  return { client_id, client_secret, ...(typeof scope === 'string' && scope !== '' && { scope }) };
}

function malformedSecret(): Unauthorized {
  return new Unauthorized(
    "The credentials secret is not a JSON object with client_id and client_secret. Put the partner's credentials into it (docs/deployment.md, Credentials).",
  );
}

function sharedToken<Partition extends string>(table: RecordTable<Partition>, key: KeyOf<Partition>): SharedToken {
  return {
    async read() {
      return (await table.getItem<{ sealed?: string; notBefore?: number }>(key)) ?? {};
    },
    lock(owner, until, now, seen) {
      // If the answer was lost, the SDK repeats the write. The lock is then this owner's already.
      const free = '(attribute_not_exists(#until) OR #until < :now OR #owner = :owner)';
      const unchanged = seen === undefined ? 'attribute_not_exists(sealed)' : 'sealed = :seen';
      const allowed = '(attribute_not_exists(notBefore) OR notBefore <= :now)';
      const values = { ':now': now, ...(seen !== undefined && { ':seen': seen }) };
      return table.updateItem(key, { owner, until }, `${free} AND ${unchanged} AND ${allowed}`, values);
    },
    async write(owner, sealed) {
      await table.putItem({ ...key, sealed }, '#owner = :owner', { ':owner': owner }, { '#owner': 'owner' });
    },
    async unlock(owner, notBefore) {
      const free = { until: undefined, owner: undefined, notBefore };
      await table.updateItem(key, free, '#owner = :held', { ':held': owner });
    },
  };
}
