import { randomUUID } from 'node:crypto';
import type { Key, RecordTable } from '../aws/record-table.ts';
import { readSecret } from '../aws/secret.ts';
import { stageConnections } from '../http/connections.ts';
import { MetricUnit, publish } from '../metrics.ts';
import { callSettings, stackSettings, tokenSettings } from '../settings.ts';
import type { TokenSource } from './authorized-calls.ts';
import { timedCall } from './timed-call.ts';
import { fleetToken, type SharedToken } from './token-renewal.ts';
import { credentialsIn, GET_TOKEN, requestToken, type TokenSettings } from './token-request.ts';

/** The token that all functions of a stack share, of the endpoint `url`, kept in this item of the table. */
export function stackToken(url: string, table: RecordTable, key: Key, release?: string): TokenSource {
  const callTimeout = callSettings.timeoutMilliseconds;
  const settings: TokenSettings = { ...tokenSettings, url, callTimeout, connections: stageConnections(), release };
  return fleetToken({
    readCredentials: async () => credentialsIn(await readSecret(stackSettings.credentialsSecret)),
    requestToken(credentials) {
      const context = { requestId: randomUUID() };
      return timedCall(
        { title: GET_TOKEN, context },
        () => requestToken(credentials, settings, context),
        (outcome, milliseconds) => publish('TokenRequestLatency', MetricUnit.Milliseconds, milliseconds, { outcome }),
      );
    },
    shared: sharedToken(table, key),
    lockDuration: callTimeout + 3_000,
  });
}

function sharedToken(table: RecordTable, key: Key): SharedToken {
  return {
    async read() {
      return (await table.getItem<Awaited<ReturnType<SharedToken['read']>>>(key)) ?? {};
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
      const written = { sealed, until: undefined, owner: undefined, notBefore: undefined, pausedUntil: undefined };
      await table.updateItem(key, written, '#owner = :held', { ':held': owner });
    },
    async pause(seen, pausedUntil) {
      await table.updateItem(key, { pausedUntil }, 'sealed = :seen', { ':seen': seen });
    },
    async unlock(owner, notBefore) {
      const free = { until: undefined, owner: undefined, notBefore };
      await table.updateItem(key, free, '#owner = :held', { ':held': owner });
    },
  };
}
