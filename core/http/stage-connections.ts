import { readSecret } from '../aws/secret.ts';
import { environmentFile, optionalEnvironment } from '../environment.ts';
import { stackSettings } from '../settings.ts';
import { Connections } from './connections.ts';

const AUTHORITIES = 'SERVICE_AUTHORITIES_FILE';

let connections: Connections | undefined;

/** The connections of this stage, once per Lambda environment. Undefined if the stage has no authorities and no client certificate. */
export function stageConnections(): Connections | undefined {
  const secret = stackSettings.clientCertificateSecret;
  if (secret === undefined && optionalEnvironment(AUTHORITIES) === undefined) return undefined;
  connections ??= connect(secret);
  return connections;
}

function connect(secret: string | undefined): Connections {
  const authorities = environmentFile(AUTHORITIES);
  return new Connections({
    ...(authorities && { authorities }),
    ...(secret !== undefined && { readCertificate: () => readSecret(secret) }),
  });
}
