import { readSecret } from '../aws/secret.ts';
import { stackSettings } from '../settings.ts';
import { Connections } from './connections.ts';

let connections: Connections | undefined;

/** The connections of this stage, once per Lambda environment. Undefined if the stage has no authorities and no client certificate. */
export function stageConnections(): Connections | undefined {
  connections ??= connect();
  return connections;
}

function connect(): Connections | undefined {
  const { clientCertificateSecret: secret, serviceAuthorities: authorities } = stackSettings;
  if (secret === undefined && authorities === undefined) return undefined;
  return new Connections({
    ...(authorities && { authorities }),
    ...(secret !== undefined && { readCertificate: () => readSecret(secret) }),
  });
}
