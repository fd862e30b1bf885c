import { readSecret } from '../aws/secret.ts';
import { optionalEnvironment } from '../environment.ts';
import { Connections } from './connections.ts';

let connections: Connections | undefined;

/** The connections of this stage, once per Lambda environment. Undefined if the stage has no authorities and no client certificate. */
export function stageConnections(): Connections | undefined {
  const secret = optionalEnvironment('CLIENT_CERTIFICATE_SECRET');
  // Certificates are too large for a function's environment. The bundler replaces this expression by their text
  // (infra/constructs/bundled-function.ts), so `optionalEnvironment()` cannot be used.
  const authorities = process.env.SERVICE_AUTHORITIES;
  if (secret === undefined && !authorities) return undefined;
  connections ??= new Connections({
    ...(authorities && { authorities }),
    ...(secret !== undefined && { readCertificate: () => readSecret(secret) }),
  });
  return connections;
}
